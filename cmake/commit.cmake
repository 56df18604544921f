# Writes OUTPUT, a header that names the commit of the tree in SOURCE: run in every build, it touches the file only
# where that has changed. "-dirty" is a tree that differs from its commit, but for the results of benchmarks, which
# are written after the program is built.
set(commit unknown)
find_package(Git QUIET)
if(GIT_FOUND)
    execute_process(COMMAND ${GIT_EXECUTABLE} --no-optional-locks rev-parse --short=12 HEAD
        WORKING_DIRECTORY ${SOURCE} OUTPUT_VARIABLE head RESULT_VARIABLE failed OUTPUT_STRIP_TRAILING_WHITESPACE ERROR_QUIET)
    # A copy of the sources inside somebody else's repository has no commit of its own.
    execute_process(COMMAND ${GIT_EXECUTABLE} --no-optional-locks rev-parse --show-toplevel
        WORKING_DIRECTORY ${SOURCE} OUTPUT_VARIABLE top OUTPUT_STRIP_TRAILING_WHITESPACE ERROR_QUIET)
    file(REAL_PATH "${SOURCE}" source)
    if(NOT failed AND top STREQUAL source)
        set(commit ${head})
        execute_process(COMMAND ${GIT_EXECUTABLE} --no-optional-locks diff --quiet HEAD -- . :\(exclude\)bench/results
            WORKING_DIRECTORY ${SOURCE} RESULT_VARIABLE differs OUTPUT_QUIET ERROR_QUIET)
        if(differs)
            string(APPEND commit -dirty)
        endif()
    endif()
endif()
set(header "// The commit that this build was made from.\n#define TOI_COMMIT \"${commit}\"\n")
set(before "")
if(EXISTS ${OUTPUT})
    file(READ ${OUTPUT} before)
endif()
if(NOT before STREQUAL header)
    file(WRITE ${OUTPUT} "${header}")
endif()
