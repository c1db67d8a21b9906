include Makefile.report

help: ## this list
	@grep -hE '^[a-z-]+:.*## ' $(MAKEFILE_LIST) | sed -E 's/^([a-z-]+):.*## /  make \1\t/' | expand -t 21
	@echo "Variables of the report: SIZES TYPES REPEAT BUDGET STEPS THREADS RANKS GPU_SIZES OUT QUICK=1 FULL=1 RIVALS TILES FILL; of others: MACHINE (reference, reference-gpu); README.md tells of them"
.PHONY: help
