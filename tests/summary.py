#!/usr/bin/env python3
"""Prints `N passed, N failed, N skipped` from meson's testlog.json."""
import collections
import json
import sys

count = collections.Counter()
with open(sys.argv[1], encoding='utf-8') as log:
    for line in log:
        result = json.loads(line)['result']
        count[{'OK': 'passed', 'EXPECTEDFAIL': 'passed', 'SKIP': 'skipped'}.get(result, 'failed')] += 1
print(f"{count['passed']} passed, {count['failed']} failed, {count['skipped']} skipped")
