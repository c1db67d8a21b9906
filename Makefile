# Everything `make report` and its companions do; CONTRIBUTING.md has the variables. What they run is in tools/report/plans: about
# 320 rows on two cores, the ladder first. The ladder is at the largest of SIZES, or at the one before a power of two: 1008 is a
# multiple of every tile's 16.
.DEFAULT_GOAL := help
.NOTPARALLEL:  # the page needs the rows, and two measurements at once would disturb each other

# Of the environment only what is on tools/inherited.txt is handed on, and no variable is taken from it: = overrules it, and what
# stands behind `make` overrules =.
handed_on := $(shell sed 's/\#.*//' tools/inherited.txt) $(shell test ! -w "$$TMPDIR" || echo TMPDIR)
unexport $(filter-out $(handed_on),$(foreach name,$(.VARIABLES),$(if $(filter environment,$(origin $(name))),$(name))))
export LC_ALL := C.UTF-8

cores := $(shell python3 -E tools/report/placed.py 2>/dev/null || getconf _NPROCESSORS_ONLN)
powers := $(shell t=1; while [ $$t -lt $(cores) ]; do echo $$t; t=$$((2 * t)); done)
$(foreach name,QUICK FULL STEPS STEP MACHINE RUNG CHECK HANDINS UNSAFE LIBRARIES PUBLISHED needs,$(eval $(name) =))
SIZES = 128 256 512 768 1000 1008 1024
TYPES = f32
REPEAT = 5
BUDGET = 0.2
THREADS = $(powers) $(cores)
RANKS = $(if $(filter 1,$(cores)),1,1 2)
TILES = 16 32 64 128 256
MACHINE_BUDGET = 0.1
GPU_SIZES = $(SIZES) $(filter-out $(SIZES),2048 4096)
EMULATED = 256x256x64
TICK =
OUT = report
BUILD = build
FILL = uniform
ifeq ($(FULL),1)
SIZES = 256 512 1000 1008 1024
TYPES = f32 f64 i32
THREADS = $(powers) $(cores) $(shell echo $$((2 * $(cores))))
RANKS = 1 2
TILES = 8 16 32 64 128 256 512
MACHINE_BUDGET = 0.4
endif
ifeq ($(QUICK),1)
SIZES = 256 496 512
TYPES = f32
THREADS = $(sort 1 $(cores))
REPEAT = 3
BUDGET = 0.1
TILES = 16 64 256
MACHINE_BUDGET = 0.02
GPU_SIZES = 512 1024
EMULATED =
TICK = 64x64x16
endif
comma := ,
commas = $(subst $() ,$(comma),$(strip $1))

# All else that is unfit for a command line is told by run_plan.py.
$(if $(STEP),$(if $(filter $(STEP),$(wildcard [0-9][0-9]_*)),,$(error STEP: there is no step '$(STEP)'; give one, such as 03_tiling)))
quote := '
$(foreach name,$(.VARIABLES),$(if $(filter command,$(origin $(name))),$(if $(findstring $(quote),$($(name))),\
  $(error $(name): it has a $(quote) in it; give letters, digits, . _ / and -))))
$(foreach name,QUICK FULL CHECK,$(if $(filter-out 1 0,$($(name))),$(error $(name): '$($(name))' is unknown; give $(name)=1, or nothing)))

there = $(shell test ! -e '$(OUT)/$2' || echo "$1 '$(OUT)/$2'")
machine = $(call there,--machine,machine.csv)
# A machine without a GPU shows this one's, named as another machine's, where the folder is there.
reference = --reference plots/reference/h100
libraries = $(call there,--libraries,libraries.csv)
# The page is a jinja2 template, and make try verifies with NumPy: a Python that has both or jinja2, where there is one.
PYTHON = $(eval PYTHON := $(shell for has in jinja2,numpy jinja2; do for python in python3 /usr/bin/python3; do $$python -E -c "import $$has" 2>/dev/null && echo $$python -E && exit; done; done; echo python3 -E))$(PYTHON)
report_py = $(PYTHON) tools/report/report.py
each_row = --repeat $(REPEAT) --budget $(BUDGET) --fill $(FILL)
settings = --set sizes='$(call commas,$(SIZES))' types='$(call commas,$(TYPES))' threads='$(call commas,$(THREADS))' \
  ranks='$(call commas,$(RANKS))' tiles='$(call commas,$(TILES))' gpu_sizes='$(call commas,$(GPU_SIZES))' \
  emulated='$(EMULATED)' tick='$(TICK)' machine_budget='$(MACHINE_BUDGET)' rows='$(each_row)' \
  mine='$(PYTHON) tools/try/rungs.py {build} --report {out} --sizes {sizes} --gpu-sizes {gpu_sizes} \
    --steps "$(STEPS)" --options="--type {types} {rows}"'
plans = tools/report/plans
run_plan = $(PYTHON) tools/report/run_plan.py --build '$(BUILD)'
# STEPS are lines of full.txt.
run_report = $(run_plan) --out '$(OUT)' $(if $(STEPS),,$(plans)/report.txt) $(if $(STEPS)$(filter 1,$(FULL)),$(plans)/full.txt) \
  --steps $(patsubst %,'%',$(STEPS)) $(settings)
or_failed = || { status=$$?; [ $$status -eq 1 ] || exit $$status; }  # the page names what has
# Behind a variable, for make would run a line with its own name in it under -n, too.
early = page='$(if $(filter 1,$(QUICK)),,$(MAKE) --no-print-directory page)'

help: ## this list
	@grep -hE '^[a-z-]+:.*## ' $(MAKEFILE_LIST) | sed -E 's/^([a-z-]+):.*## /  make \1\t/' | expand -t 21
	@echo "Variables of the report: SIZES TYPES REPEAT BUDGET STEPS THREADS RANKS GPU_SIZES OUT QUICK=1 FULL=1 LIBRARIES TILES FILL; of others: MACHINE (reference, reference-gpu); CONTRIBUTING.md tells of them"

report: build ## run every step, draw every chart, write report/index.html, print the ladder
	@$(run_report) $(early) $(or_failed)
	@$(MAKE) --no-print-directory page

# The report needs the programs alone; tests, experiments and the packages that they need come when they are asked for.
target = all
report reproduce libraries: target = course_programs
search: target = 09_cuda_regtile_search
test: target = $(if $(STEP),test_$(STEP),all)
test: needs = test
simulate: needs = simulate
reproduce: FULL = 1
reproduce: BUDGET = 10
setup: ## install what is missing, and say first what
	@sh setup.sh $(needs)

build: setup ## the same, then configure and build; FULL=1 with what the reference plans run
	@$(PYTHON) tools/build.py '$(BUILD)' $(target) $(if $(filter test,$(needs)),-DCOURSE_FETCH_DOCTEST=ON) $(if $(filter 1,$(FULL))$(filter 01_naive,$(STEPS)),-DCOURSE_EVERYTHING=ON)

test: build ## verify every step (ctest), or one: make test STEP=03_tiling
	@ctest --test-dir '$(BUILD)' --output-on-failure --parallel $(cores) $(if $(STEP),-L '^$(STEP)$$')

rows:
	@$(run_report) page= $(or_failed)

plan: ## print every command that `make report` would run, and run none
	@$(run_report) page= --plan

page: ## draw the charts and the page again from the rows there are
	@$(report_py) ladder '$(OUT)/results.csv' $(machine)
	@$(report_py) page '$(OUT)/results.csv' $(machine) --out '$(OUT)' $(reference) $(call there,--failed,failed) $(libraries) --report '$(PUBLISHED)' && \
	  echo "The page: $$(cd '$(OUT)' && pwd)/index.html" || [ $$? -eq 77 ]
	@if [ -s '$(OUT)/failed' ]; then echo "Failed:" >&2; cat '$(OUT)/failed' >&2; exit 1; fi

# The lines of plots/reference/plan.txt. It does not build: called again, it must find the programs of the first call, or
# no line would count as done. What is done is left out, unless it was disturbed.
reference_to = --out 'plots/reference/$(if $(filter .% -%,$(MACHINE))$(findstring /,$(MACHINE)),$(error MACHINE: '$(MACHINE)' is no name for a \
  folder; give letters and digits, such as epyc-zen4),$(or $(MACHINE),$(error MACHINE: which one? make $@ MACHINE=name writes plots/reference/name)))'
reference: ## measure what the lessons quote, with what `make build FULL=1` built: MACHINE=name (40 minutes)
	@$(run_plan) plots/reference/plan.txt $(reference_to)

reference-gpu: ## what the lessons quote of a GPU, by plan_gpu.txt: MACHINE=name (10 minutes)
	@$(run_plan) plots/reference/plan_gpu.txt $(reference_to) --set random_f32='$(call random,62 200)' random_bf16='$(call random,63 100)' random_f64='$(call random,64 100)'

# All that the reports measured; at BUDGET=200 the largest sizes of Genova 2024 take a night. A run beyond ten budgets is left out.
reports = genova nsight coalescing csc4005 scpa
REPORT = $(reports)
$(if $(filter reproduce,$(MAKECMDGOALS)),$(if $(filter-out $(reports),$(REPORT)),$(error REPORT: there is no '$(REPORT)'; give some of $(reports))))
a_row = $(patsubst small,0.02,$(BUDGET))
run_report_of = $(run_plan) $(plans)/$(1).txt --out '$(OUT)/$(1)' --set threads=64 rows='--budget $(a_row)'
page_report_of = $(MAKE) --no-print-directory page OUT='$(OUT)/$(1)' PUBLISHED=$(1)
at_most = awk '{r = 1; for (i = 1; i < NF; i++) if ($$i ~ /^--(size|shape|variant|threads|tile)$$/) r *= split($$(i + 1), x, ","); n += r} END {printf "$(1): %d rows, at most about %.1g hours\n", n, (n * 10 * $(a_row) + 20 * NR) / 3600}'
reproduce: build ## the experiments of the five reports beside their figures: REPORT=genova picks one; BUDGET=small (OUT/genova/index.html)
	@status=0; $(foreach of,$(REPORT), \
	  $(call run_report_of,$(of)) --plan | $(call at_most,$(of)); $(call run_report_of,$(of)) || status=$$?; $(call page_report_of,$(of)) || status=$$?;) exit $$status

# A library and a type after another: it may be stopped and called again. LIBRARIES gives other options:
# LIBRARIES='--repeat 7' takes fewer turns, LIBRARIES='--library openblas' meets one library, and
# LIBRARIES='--variant bf16,f32_by_bf16,f32_by_fp16 --sustained' sets 12 and 13 beside cuBLAS, each for 1.5 s.
chooses = $(filter --library% --type% --variant% --size% --shape%,$(LIBRARIES))
libraries: build ## ours against every library, in turns: the ratios
	@status=0; $(run_plan) $(plans)/libraries.txt --out '$(OUT)' \
	  --set own='$(if $(chooses),$(LIBRARIES))' libraries='$(if $(chooses),,$(or $(LIBRARIES),--repeat 21 --budget 1))' || status=$$?; \
	  [ $$status -gt 1 ] || [ ! -s '$(OUT)/libraries.csv' ] || $(report_py) libraries '$(OUT)/libraries.csv' || exit; \
	  [ $$status -gt 1 ] || [ ! -s '$(OUT)/results.csv' ] || $(MAKE) --no-print-directory page || exit; \
	  exit $$status

# Random shapes: shapes.py SEED COUNT. The search and the judgement of `best` have other seeds.
random = $(shell $(PYTHON) 09_cuda_regtile/search/shapes.py $(1))
SEARCH_SHAPES = $(call commas,$(foreach n,256 384 512 640 768 1000 1024 1280 1536 2000 2048 2560 3000 4096 6400 8192,$(n)x$(n)x$(n)) \
  $(foreach k,16 32 64 156,8192x8192x$(k)) 2048x2048x64 4096x4096x128 128x8192x8192 8192x128x8192 512x8192x512 64x64x8192 16x16x16384 \
  $(call random,1 150) $(call random,2 150))
search: build ## what the kernels of 09's `best` cost on an H200: into 09_cuda_regtile/search/costs.inc
	@$(PYTHON) -c 'import numpy' && mkdir -p '$(OUT)' && '$(BUILD)/09_cuda_regtile/09_cuda_regtile_search' $(SEARCH_SHAPES) >'$(OUT)/costs.csv'
	@$(PYTHON) 09_cuda_regtile/search/choose.py '$(OUT)/costs.csv' >'$(OUT)/costs.inc' && cp '$(OUT)/costs.inc' 09_cuda_regtile/search/

# What the CSV has is not simulated again; 1024 ranks take minutes a curve, RANKS_SIMULATED=1,4,16,64 seconds.
RANKS_SIMULATED = 1,4,16,64,256,1024
simulate: build ## 06 on up to 1024 ranks that are not there (SimGrid): OUT/simulated.csv and charts (a quarter of an hour)
	@$(PYTHON) 06_mpi/cluster/simulate.py '$(BUILD)/06_mpi/06_mpi_simulate' --out '$(OUT)' --ranks '$(RANKS_SIMULATED)'

# Only what the rung needs is built, by rungs.py; the folder must be configured for ninja.
try hint:
	@$(PYTHON) tools/build.py '$(BUILD)'
	@$(PYTHON) tools/try/$(if $(HANDINS),handins.py '$(BUILD)' '$(HANDINS)',rungs.py '$(BUILD)') $(if $(RUNG),'$(RUNG)') \
	  $(if $(HANDINS),$(if $(filter yes,$(UNSAFE)),--unsafe),$(if $(filter 1,$(CHECK)),--check) $(if $(filter hint,$@),--hint)) \
	  $(if $(HANDINS),|| [ $$? -eq 1 ],$(if $(filter 1,$(CHECK)),,|| [ $$? -eq 1 ]))  # a verdict is no error of make's, but of CHECK=1

try: ## write a rung yourself: make try lists them; make try RUNG=02_loop_order/ikj; CHECK=1 inspects it once; HANDINS=folder marks a class (TEACHING.md)
hint: ## the next hint: make hint RUNG=02_loop_order/ikj

# Of a build there is only the library needed.
numpy: target = course_blas
numpy: build ## a network learns in NumPy: on the system's BLAS, on 05's kernel, and on yours (mine/mine.cpp)
	@$(PYTHON) 05_avx2/library/numpy_demo.py '$(BUILD)' || { status=$$?; [ $$status -eq 77 ] || exit $$status; }

# Debian's Sphinx is for Debian's Python.
book: needs = book
book: setup ## the lessons as one site with search, and the report of this machine in it: build/book/index.html
	@/usr/bin/python3 -B tools/book/book.py '$(BUILD)/book' '$(OUT)' || { status=$$?; [ $$status -eq 77 ] || exit $$status; }

ladder: ## print the ladder
	@$(report_py) ladder '$(OUT)/results.csv' $(machine)

notes: ## render the notes from their templates, text/*.md.jinja
	@$(PYTHON) tools/notes/notes.py

pictures: so_far $(patsubst %.gp,%.svg,$(wildcard [01]*/pictures/*.gp gpu/emulator/pictures/*.gp)) ## draw the pictures of the notes again
%.svg: %.gp FORCE
	@gnuplot --default-settings $< >$@
FORCE:

# Each lesson's part of the ladder, pictures/ladder.svg, from plots/reference.
so_far:
	@$(PYTHON) -B tools/notes/so_far.py

clean: ## remove what was built; the report stays
	@rm -rf build build.log build-sanitize build-tsan

.PHONY: help book try hint numpy simulate search reference reference-gpu reproduce libraries report setup build test rows plan page ladder notes pictures so_far clean FORCE
