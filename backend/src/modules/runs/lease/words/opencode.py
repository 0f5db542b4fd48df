"""Prints the last messages of a session of OpenCode, a line for each part. Arguments: the home, the session, most bytes."""

import json
import sqlite3
import sys
from pathlib import Path

# Most parts that are looked at.
PARTS = 1000

home, session, most = sys.argv[1], sys.argv[2], int(sys.argv[3])
path = Path(home, ".local/share/opencode/opencode.db")
if path.is_file():
    database = sqlite3.connect(path.as_uri() + "?mode=ro", uri=True, timeout=5)
    rows = database.execute(
        "SELECT message.data, part.data FROM part JOIN message ON message.id = part.message_id"
        " WHERE part.session_id = ? ORDER BY part.id DESC LIMIT ?",
        (session, PARTS),
    )
    lines = []
    for message, part in rows:
        line = json.dumps({"message": json.loads(message), "part": json.loads(part)})
        most -= len(line) + 1
        if most < 0:
            break
        lines.append(line)
    print("\n".join(reversed(lines)))
