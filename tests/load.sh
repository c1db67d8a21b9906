#!/usr/bin/env bash
# A light load, a tenth of one core: busy for 10 ms, asleep for 90, until killed. A report beside it marks few rows.
#   tests/load.sh &
exec python3 -c '
import time
while True:
    end = time.perf_counter() + 0.01
    while time.perf_counter() < end:
        pass
    time.sleep(0.09)'
