# The two commands: make demo, make test. Everything else is for those who work on toi.
SHELL := /bin/bash
PREFIX ?= /usr/local

.PHONY: help deps configure build demo demo-sdf test test-cuda test-long tests bench bench-paper peers docs format lint install clean fuzz cases

help:
	@echo "make demo       build, find the impacts of a scene, draw them to build/demo.svg"
	@echo "make demo-sdf   simulate bodies against distance fields, certified beside discrete, draw them to build/demo-sdf"
	@echo "make test       build and run all tests, sanitizers included; names the slowest ten"
	@echo "make build      the libraries and build/bin/toi"
	@echo "make test-long  the same tests with ten times the random cases, and the slow ones"
	@echo "make test-cuda  the tests that need a card, on a machine that has one"
	@echo "make bench-paper  the papers' comparisons in half an hour: csv to bench/results, page to build/report.html"
	@echo "make bench      the same in two minutes, with smaller scenes: csv to build/bench-quick"
	@echo "make peers      what other libraries have, for make bench to compare with: bench/peers"
	@echo "make cases      write the gallery of traps, test/cases, anew"
	@echo "make fuzz       each fuzzer for FUZZ_SECONDS (default 60)"
	@echo "make docs       the headers and docs as HTML: build/docs/html/index.html"
	@echo "make format     clang-format;   make lint: clang-tidy and cppcheck"
	@echo "make install    libraries, headers and program to PREFIX (default /usr/local); builds no tests"

# Installs what is missing, and only then: a machine that has everything needs no network.
deps:
	@scripts/install-deps

configure: deps
	@mkdir -p build
	@cmake --preset release > build/configure.log 2>&1 || { cat build/configure.log; exit 1; }

build: configure
	@cmake --build --preset release --target toi_installed

demo: configure
	@cmake --build --preset release --target toi_cli
	@build/bin/toi ccd --scene cloth-ball --size 20000 --begin 0.7 --all --picture build/demo.svg
	@echo
	@echo "The picture is build/demo.svg: open it in a browser."

# A strip of pictures a scene: what is inside the field is red. With real meshes where they are found.
SDF_SCENES := shuriken skateboard pyramid bunny hoop cloth box-on-spikes flat-triangle full-turn
demo-sdf: export TOI_DATA ?= $(wildcard ../shared/data)
demo-sdf: configure
	@cmake --build --preset release --target toi_cli
	@mkdir -p build/demo-sdf
	@for scene in $(SDF_SCENES); do \
	    build/bin/toi sdf simulate $$scene --solver certified,discrete --pictures build/demo-sdf/$$scene.png && echo || exit 1; done
	@for scene in box-on-spikes flat-triangle; do \
	    build/bin/toi sdf simulate $$scene --solver certified,discrete --subdivision off \
	        --pictures build/demo-sdf/$$scene-one-contact.png && echo || exit 1; done
	@build/bin/toi sdf simulate nut --pictures build/demo-sdf/nut.png

# What the tests need comes first: where cmocka is missing a build has no tests.
tests:
	@scripts/install-deps --test
	@$(MAKE) --no-print-directory configure
	@cmake --build --preset release

test: tests
	@test/run.sh

test-long: tests
	@TOI_LONG=1 test/run.sh

# On a machine with a card; without one it fails. The programs need nothing but the driver.
cuda_tests := cuda cuda_lost cuda_overlap cuda_pairs cuda_queries cuda_scenes cuda_separations device device_errors device_overlap device_pairs
space := $(subst ,, )
test-cuda: export TOI_REQUIRE_CARD := 1
test-cuda:
	@scripts/install-deps --test
	@$(MAKE) --no-print-directory configure
	@cmake --build --preset release --target toi_cuda $(cuda_tests:%=test_%) test_kernels_cuda
	@ctest --test-dir build -R '^($(subst $(space),|,$(cuda_tests))|kernels_cuda.*)$$' --output-on-failure --no-tests=error -V | grep -vE '^(UpdateCTest|Constructing|Test timeout|Working Directory)'; exit $${PIPESTATUS[0]}

bench: build
	@bench/paper.sh --quick

bench-paper: build
	@bench/paper.sh

# A build of its own, so that the usual one never needs those libraries. PEERS_OPTIONS: for CMake, see bench/peers.
peers:
	@scripts/install-deps --peers
	@mkdir -p build/peers
	@cmake -S . -B build/peers -G Ninja -DCMAKE_BUILD_TYPE=Release -DTOI_PEERS=ON $(PEERS_OPTIONS) > build/peers/configure.log 2>&1 || \
	    { cat build/peers/configure.log; exit 1; }
	@cmake --build build/peers --target peers

# The regression gallery, from scenes/cases*.c.
cases: tests
	@mkdir -p test/cases && rm -f test/cases/*.truth && build/bin/make_cases test/cases

fuzz: deps
	@fuzz/run.sh $${FUZZ_SECONDS:-60}

docs:
	@scripts/install-deps --docs
	@mkdir -p build/docs
	@{ cat docs/Doxyfile; sed -n 's/^project(toi VERSION \([0-9.]*\).*/PROJECT_NUMBER = \1/p' CMakeLists.txt; } | doxygen -
	@echo "The pages are in build/docs/html: open index.html in a browser."

format:
	@git ls-files '*.c' '*.h' '*.cpp' | xargs clang-format -i

lint: tests
	@scripts/lint

install: build
	@cmake --install build --prefix $(PREFIX)

clean:
	@rm -rf build
