#!/usr/bin/env python3
"""A coding CLI without a model. It says lines in the form of Claude Code, each with the time at which it was printed.

Its prompt is JSON: `lines`, and optionally `everyMs` between two lines, their `length` in sentences, and a `gate`, a file
that it waits for first.
"""
import json
import os
import sys
import time

# About the length of a line of Claude Code.
FILLER = "The quick brown fox jumps over the lazy dog. "


def say(line):
    sys.stdout.write(json.dumps(line) + "\n")
    sys.stdout.flush()


order = json.load(sys.stdin)
say({"type": "system", "subtype": "init", "session_id": f"printing-{os.getpid()}"})
while "gate" in order and not os.path.exists(order["gate"]):
    time.sleep(0.05)
begun = time.monotonic()
for number in range(order["lines"]):
    rest = begun + number * order.get("everyMs", 0) / 1000 - time.monotonic()
    if rest > 0:
        time.sleep(rest)
    text = f"{time.time() * 1000:.1f} {FILLER * order.get('length', 6)}"
    say({"type": "assistant", "message": {"content": [{"type": "text", "text": text}]}})
say({"type": "result", "subtype": "success", "is_error": False, "result": "Done.", "total_cost_usd": 0})
