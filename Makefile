# The front door: everything here is a few words of CMake, which may be used directly (see CMakePresets.json).
#   make PRESET=debug test      any preset of CMakePresets.json: release (default), debug, asan, readers, tsan, v3, emulated, cuda
#   make CMAKE_FLAGS=-D... x    options for configuring
#   make LABEL=threads test     builds and runs the tests of a label alone: slow, threads, bits; emulated (preset emulated, or
#                                -DWEIR_EMULATED_TESTS=ON without CUDA)

PRESET ?= release
PREFIX ?= /usr/local
PYTHON ?= python3
CMAKE_FLAGS ?=
FUZZ_SECONDS ?= 30
BENCH ?=
SEED ?= $(shell date +%s)
SCENARIOS ?= 1000
CTEST_FLAGS ?= --output-on-failure
LABEL ?=
# A regular expression of labels that `make test` leaves out.
LEFT_OUT ?= $(if $(WEIR_NIGHTLY)$(LABEL),,^night$$)
BUILD := build/$(PRESET)
CORES := $(shell nproc 2>/dev/null || echo 2)

.PHONY: help demo build test bounds differential differential-interconnect checkpoints soak nightly test-asan test-tsan test-gpu test-gpu-sanitizer ns3-judge peers mutate bench bench-peers bench-gpu fuzz install packages deb try-packages test-without python docs site format tidy check-layers abidiff clean

help:
	@echo 'make demo           install what is missing, build, run examples/abilene and say where the results are'
	@echo 'make test           install what is missing, build, run all tests but those of minutes (label night)'
	@echo 'make build          build/release/src/cli/weir'
	@echo 'make bench          build and run the benchmarks (BENCH=name: only that one)'
	@echo 'make bench-peers    the same work by ns-3, ROSS, htsim and uet-htsim in turn (PEERS=folder with the sources of the latter; TURNS=5)'
	@echo 'make peers         Ultra Ethernet'\''s published experiments by their own files (PEERS_FLAGS=--help: its options)'
	@echo 'make ns3-judge      TCP against ns-3, case by case (JUDGE_FLAGS=--help: its options)'
	@echo 'make mutate         change the library in 200 places, one at a time: which do the tests notice? (MUTATE_FLAGS=--help)'
	@echo 'make install        install below PREFIX (default /usr/local)'
	@echo 'make python         libweir, and the package `weir` with it into the environment of PYTHON (default python3)'
	@echo 'make packages       all packages, in build/packages (make deb: that for Debian alone; tools/make-packages: the kinds)'
	@echo 'make try-packages   tries each in a clean root, by what it depends on alone (root, debootstrap)'
	@echo 'make docs           regenerate docs/scenario.md'
	@echo 'make site           the documentation as a site with search and references, build/site/html/index.html'
	@echo 'make nightly        all cells of the grids of which `make test` runs a part, random scenarios by the thousand, all tests under sanitizers'
	@echo 'make test-asan      all tests under the address and undefined-behaviour sanitizers'
	@echo 'make test-tsan      all tests under the thread sanitizer'
	@echo 'make differential   SCENARIOS random scenarios (default 1000) from SEED on, on threads, ranks and the check engine'
	@echo 'make differential-interconnect   the same of interconnects and surrogates'
	@echo 'make bounds         what weir check says of packet hops against SCENARIOS random networks'
	@echo 'make checkpoints    200 random scenarios (SCENARIOS=...) stopped, saved and gone on with on other engines'
	@echo 'make soak           HOURS (24) of a backbone in pieces that go on from checkpoints, against the run in one go'
	@echo 'make test-without   builds without CUDA, MPI, METIS each, and their tests'
	@echo 'make test-gpu       tests and make bench-gpu benchmarks that need a CUDA device'
	@echo 'make test-gpu-sanitizer  the former with small settings under compute-sanitizer: memcheck and racecheck'
	@echo 'make fuzz           every fuzz target for FUZZ_SECONDS (default 30)'
	@echo 'make format         clang-format;  make tidy: clang-tidy;  make check-layers: includes against the design'
	@echo 'make abidiff        the C API against that of the last release (BASE=revision: against any)'
	@echo 'make clean          remove build/'

# configure TESTING: once; again only when flags are given, or when tests are wanted and were left out so far. Ninja itself
# sees changed CMake files.
define configure
	@if [ ! -f $(BUILD)/build.ninja ] || [ -n '$(strip $(CMAKE_FLAGS))' ] || \
	    { [ $(1) = ON ] && ! grep -q '^BUILD_TESTING:BOOL=ON' $(BUILD)/CMakeCache.txt; }; then \
	    cmake --preset $(PRESET) -DBUILD_TESTING=$(1) $(CMAKE_FLAGS); fi
endef

build:
	@tools/install-deps
	$(call configure,$$(grep -qs '^BUILD_TESTING:BOOL=ON' $(BUILD)/CMakeCache.txt && echo ON || echo OFF))
	@cmake --build $(BUILD) --target weir

demo: build
	@$(BUILD)/src/cli/weir run examples/abilene/abilene.yaml --force -o results/abilene $$($(BUILD)/src/cli/weir info | grep -q '^ *in *weir report' && echo --report)
	@echo
	@echo 'The results are in results/abilene: summary.json, flows.csv, ports.csv, series.h5 and the resolved scenario.yaml.'
	@echo 'docs/results.md says what they hold; weir is $(BUILD)/src/cli/weir.'
	@if [ -f results/abilene/report.html ]; then echo "For a browser: $$(pwd)/results/abilene/report.html"; fi

test:
	@tools/install-deps --test
	$(call configure,ON)
	@cmake --build $(BUILD) $(LABEL:%=--target tests-%)
	@ctest --test-dir $(BUILD) -j $(CORES) $(CTEST_FLAGS) $(LABEL:%=-L %) $(if $(LEFT_OUT),-LE '$(LEFT_OUT)'); code=$$?; \
	    grep -h '^SKIPPED: ' $(BUILD)/Testing/Temporary/LastTest.log; exit $$code

# Random scenarios on all engines of the host; a failure prints its seed and the scenario. Every night; some twenty minutes.
differential:
	@tools/install-deps --test
	$(call configure,ON)
	@cmake --build $(BUILD) --target scenario_test_differential
	@echo "seeds from $(SEED) on"
	@cd $(BUILD)/tests && ./scenario_test_differential $(SEED) $(SCENARIOS)

# The same of interconnects with stretches of a surrogate.
differential-interconnect:
	@tools/install-deps --test
	$(call configure,ON)
	@cmake --build $(BUILD) --target scenario_test_differential_interconnect
	@echo "seeds from $(SEED) on"
	@cd $(BUILD)/tests && ./scenario_test_differential_interconnect $(SEED) $(SCENARIOS)

# What `weir check` says before a run holds after it.
bounds:
	@tools/install-deps --test
	$(call configure,ON)
	@cmake --build $(BUILD) --target scenario_test_estimate
	@echo "seeds from $(SEED) on"
	@cd $(BUILD)/tests && ./scenario_test_estimate $(SEED) $(SCENARIOS)

# Each optional part left out alone: it must build, link, and say by name what it lacks. Few tests: those that meet the part.
WITHOUT ?= CUDA MPI METIS
test-without:
	@tools/install-deps --test
	@tools/test-without $(WITHOUT)

# Random scenarios saved at random times and gone on with on other engines, byte for byte. A minute for 200.
checkpoints: SCENARIOS = 200
checkpoints:
	@tools/install-deps --test
	$(call configure,ON)
	@cmake --build $(BUILD) --target scenario_test_checkpoint
	@echo "seeds from $(SEED) on"
	@cd $(BUILD)/tests && ./scenario_test_checkpoint $(SEED) $(SCENARIOS)

# A simulated day in pieces from checkpoint to checkpoint: HOURS=... (2,500 at most); under sanitizers: PRESET=asan.
soak: HOURS = 24
soak: build
	@tools/soak $(BUILD)/src/cli/weir --hours $(HOURS)

# What takes longer than a commit may wait for: an hour or two.
nightly: export WEIR_NIGHTLY := 1
nightly: test test-asan test-tsan fuzz differential differential-interconnect checkpoints bounds soak

test-asan:
	@$(MAKE) --no-print-directory test PRESET=asan

test-tsan:
	@$(MAKE) --no-print-directory test PRESET=tsan

bench:
	@tools/install-deps --bench
	$(call configure,$$(grep -qs '^BUILD_TESTING:BOOL=ON' $(BUILD)/CMakeCache.txt && echo ON || echo OFF))
	@cmake --build $(BUILD)
	@found=; for b in $(BUILD)/bench/bench_$(or $(BENCH),*); do \
	    [ -x "$$b" ] && [ -f "$$b" ] || continue; \
	    found=yes; echo "== $$(basename $$b)"; "$$b" || exit 1; \
	done; [ -n "$$found" ] || { echo 'no benchmark of that name in bench/'; exit 1; }

# Minutes a turn. Whatever is not there is skipped by name.
PEERS ?=
TURNS ?= 5
bench-peers: build
	@tools/install-deps --peers
	@cmake $(BUILD) >/dev/null && cmake --build $(BUILD) --target ns3-programs
	@bench/peers/peers.py --weir $(BUILD)/src/cli/weir --ns3 $(BUILD)/bench/ns3/ns3_dumbbell $(PEERS:%=--peers %) --turns $(TURNS)

# What needs a device is built wherever nvcc is (tests/*/gpu_*.cu), and run here alone.
test-gpu: PRESET := cuda
test-gpu: BUILD := build/cuda
test-gpu:
	@tools/install-deps --test
	$(call configure,ON)
	@cmake --build $(BUILD)
	@set -e; for source in tests/*/gpu_*.cu; do \
	    name=$$(basename $$(dirname $$source))_$$(basename $$source .cu); \
	    [ -x $(BUILD)/tests/$$name ] || { echo "$$name was not built: no nvcc 12.4 or later"; exit 1; }; \
	    echo "== $$name"; $(BUILD)/tests/$$name; \
	done
	@tests/site/pages.py $(BUILD) docs/guide/gpu.md

# compute-sanitizer makes a program up to a hundred times slower: small settings.
test-gpu-sanitizer: PRESET := cuda-small
test-gpu-sanitizer: BUILD := build/cuda-small
test-gpu-sanitizer:
	@tools/install-deps --test
	$(call configure,ON)
	@cmake --build $(BUILD) --target $(foreach s,$(wildcard tests/*/gpu_*.cu),$(notdir $(patsubst %/,%,$(dir $(s))))_$(basename $(notdir $(s))))
	@tools/compute-sanitizer $(BUILD)

bench-gpu:
	@for b in bench/bench_*.cu bench/*/bench_*.cu bench/*/bench_gpu_*.c; do \
	    name=$$(basename $${b%.*}); $(MAKE) --no-print-directory bench PRESET=cuda BENCH=$${name#bench_} || exit 1; \
	done

# Each target works on a copy of its corpus, so that what it finds does not land in the source tree.
fuzz: PRESET := fuzz
fuzz: BUILD := build/fuzz
fuzz:
	@tools/install-deps --test
	$(call configure,ON)
	@tools/fuzz $(BUILD) $(FUZZ_SECONDS)

# Minutes: 34 cases, five seeds each, both simulators.
JUDGE_FLAGS ?=
peers: build
	@tools/judge-uet $(BUILD)/src/cli/weir $${WEIR_DATA:-../shared/data}/peers/uet-htsim/htsim/sim/datacenter $(PEERS_FLAGS)
	@tools/judge-peers $(BUILD)/src/cli/weir $${WEIR_DATA:-../shared/data}/peers

ns3-judge:
	@tools/install-deps --test
	$(call configure,ON)
	@cmake --build $(BUILD) --target weir ns3_judge
	@bench/ns3/judge.py --weir $(BUILD)/src/cli/weir --ns3 $(BUILD)/bench/ns3/ns3_judge $(JUDGE_FLAGS)

# An hour or two.
MUTATE_FLAGS ?=
mutate:
	@tools/install-deps --test
	@tools/mutate $(MUTATE_FLAGS)

install: build
	@cmake --build $(BUILD) --target libweir
	@cmake --install $(BUILD) --prefix $(PREFIX)

# With libweir inside, so that nothing has to be found. On Debian, PYTHON is that of a virtual environment.
python: build
	@cmake --build $(BUILD) --target libweir
	@rm -rf $(BUILD)/python && cp -r python $(BUILD)/python && cp $(BUILD)/libweir.so.$(firstword $(subst ., ,$(shell cat VERSION))) $(BUILD)/python/weir/
	@$(PYTHON) -m pip install --no-index --no-build-isolation --force-reinstall --no-deps $(BUILD)/python

packages:
	@tools/install-deps --packages
	@tools/make-packages

deb: build
	@tools/install-deps --packages
	@tools/make-packages deb

try-packages: packages
	@tools/try-packages

site: build
	@tools/install-deps --docs
	@tools/make-site --weir $(BUILD)/src/cli/weir --out build/site

docs: build
	@cmake --build $(BUILD) --target scenario-doc
	@$(BUILD)/src/cli/scenario-doc docs/scenario.md

FORMATTED = $(shell git ls-files '*.c' '*.h' '*.cu' '*.cuh')
format:
	@clang-format -i $(FORMATTED)

tidy:
	@tools/install-deps --test
	$(call configure,ON)
	@clang-tidy --quiet -p $(BUILD) $(filter %.c,$(FORMATTED))

check-layers:
	@tools/check-layers

abidiff:
	@tools/install-deps --packages
	@tools/abidiff $(BASE)

clean:
	@rm -rf build
