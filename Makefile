include Makefile.report
