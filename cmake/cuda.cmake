# nvcc, if there is one that works here, and what it compiles for. Sets TOI_NVCC_WORKS, toi_nvcc (the command with the
# flags that all CUDA sources share) and toi_cuda_codes (-gencode options of libtoi_cuda).
set(TOI_CUDA AUTO CACHE STRING "Build the CUDA backend, libtoi_cuda: AUTO (where an nvcc works), ON or OFF")
set_property(CACHE TOI_CUDA PROPERTY STRINGS AUTO ON OFF)
set(TOI_CUDA_ARCHITECTURES "" CACHE STRING
    "Cards to compile for: 80;90 and so on; all: every one from 7.0 to 9.0; empty: 9.0, the others when first loaded")
find_program(TOI_NVCC nvcc HINTS /usr/local/cuda/bin)

# Floating-point flags are source: no contraction, on the card either. Functions of a card are called as if from other
# sources (kernel/inline.h says why).
set(toi_nvcc ${TOI_NVCC} -std=c++17 -rdc=true --fmad=false -Xcompiler=-ffp-contract=off
    -I${PROJECT_SOURCE_DIR}/src -I${PROJECT_SOURCE_DIR}/include -I${PROJECT_BINARY_DIR}/include)
if(TOI_NVCC AND NOT DEFINED TOI_NVCC_WORKS) # it may be too old for the device, or for the C++ compiler
    set(trial ${PROJECT_BINARY_DIR}/nvcc)
    file(WRITE ${trial}/trial.cu "#include <cuda_runtime.h>\n__global__ void nothing() {}\n")
    execute_process(COMMAND ${toi_nvcc} -arch=sm_90 -c -o trial.o trial.cu WORKING_DIRECTORY ${trial}
        RESULT_VARIABLE status OUTPUT_VARIABLE said ERROR_VARIABLE said)
    file(WRITE ${trial}/trial.log "${said}")
    string(COMPARE EQUAL "${status}" 0 works)
    set(TOI_NVCC_WORKS ${works} CACHE BOOL "nvcc compiles for sm_90")
endif()
if(TOI_NVCC_WORKS AND NOT DEFINED TOI_NVCC_CODES)
    execute_process(COMMAND ${TOI_NVCC} --list-gpu-code OUTPUT_VARIABLE codes ERROR_QUIET)
    string(REGEX MATCHALL "[0-9]+" codes "${codes}")
    set(TOI_NVCC_CODES "${codes}" CACHE INTERNAL "what nvcc compiles for")
endif()

set(toi_build_cuda OFF)
if(TOI_SANITIZE OR TOI_CUDA STREQUAL "OFF") # sanitizers are for the host
elseif(TOI_NVCC_WORKS)
    set(toi_build_cuda ON)
elseif(NOT TOI_CUDA STREQUAL "AUTO")
    message(FATAL_ERROR "TOI_CUDA is ${TOI_CUDA}, but there is no nvcc that compiles for sm_90 (found: ${TOI_NVCC}; what "
        "it said is in ${PROJECT_BINARY_DIR}/nvcc/trial.log). Give one: -DTOI_NVCC=/path/to/nvcc, or TOI_CUDA=AUTO")
endif()
if(NOT toi_build_cuda)
    message(STATUS "CUDA: no backend (libtoi_cuda)")
    return()
endif()

# The cards that this nvcc knows in the range that is supported.
set(known "")
foreach(code IN LISTS TOI_NVCC_CODES)
    if(code GREATER_EQUAL 70 AND code LESS_EQUAL 90)
        list(APPEND known ${code})
    endif()
endforeach()
list(SORT known COMPARE NATURAL)
list(REMOVE_DUPLICATES known)
if(TOI_CUDA_ARCHITECTURES STREQUAL "all")
    set(binaries ${known})
    set(portable 90)
elseif(TOI_CUDA_ARCHITECTURES)
    set(binaries ${TOI_CUDA_ARCHITECTURES})
    list(GET binaries -1 portable)
else() # one binary, and code that a driver translates for any other card: quick to build, and runs everywhere
    set(binaries 90)
    list(GET known 0 portable)
endif()
set(toi_cuda_codes "")
foreach(code IN LISTS binaries)
    list(APPEND toi_cuda_codes -gencode arch=compute_${code},code=sm_${code})
endforeach()
list(APPEND toi_cuda_codes -gencode arch=compute_${portable},code=compute_${portable})
list(JOIN binaries " " names)
message(STATUS "CUDA: ${TOI_NVCC}, binaries for ${names}, portable code from ${portable} on")
