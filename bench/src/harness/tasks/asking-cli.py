#!/usr/bin/env python3
"""A coding CLI without a model, which asks for permissions in the form of Claude Code.

Its prompt is the number of questions. The command of each one has the time at which it was printed, and the time at which the
answer to the one before was read, both in milliseconds since 1970.
"""
import json
import sys
import time


def say(line):
    sys.stdout.write(json.dumps(line) + "\n")
    sys.stdout.flush()


def read(wanted):
    for text in sys.stdin:
        line = json.loads(text)
        if line["type"] == wanted:
            return line
    sys.exit(1)


prompt = read("user")
count = int(prompt["message"]["content"][0]["text"])
say({"type": "system", "subtype": "init", "session_id": "asking"})
answered = 0.0
for number in range(count):
    tool = {"tool_name": "Bash", "tool_use_id": f"call-{number}"}
    command = f"echo {time.time() * 1000:.1f} > after-{answered:.1f}"
    say({"type": "assistant", "message": {"content": [{"type": "tool_use", "id": f"call-{number}", "name": "Bash",
                                                       "input": {"command": command}}]}})
    say({"type": "control_request", "request_id": f"ask-{number}",
         "request": {"subtype": "can_use_tool", "input": {"command": command}, **tool}})
    reply = read("control_response")
    answered = time.time() * 1000
    say(reply)
    say({"type": "user", "message": {"content": [{"type": "tool_result", "tool_use_id": f"call-{number}",
                                                  "content": "done"}]}})
say({"type": "result", "subtype": "success", "is_error": False, "result": f"{answered:.1f}", "total_cost_usd": 0})
