#!/usr/bin/env python3
"""An invoice desk: PDF invoices that come by mail go to a shared folder, and a line for each to a spreadsheet in it.

Usage: ATRIUM_KEY=... python3 invoice_desk.py [colleague@example.org]
"""
import json
import os
import re
import sys
from urllib.error import HTTPError
from urllib.request import Request, urlopen

ADDRESS = os.environ.get("ATRIUM_URL", "http://127.0.0.1:8080")
# The label is the queue: what has it in the inbox is yet to be done, so the desk may be stopped at any time.
RULE = {
    "conditions": [{"field": "subject", "op": "contains", "value": "invoice"}, {"field": "has_attachment"}],
    "actions": [{"type": "add_label", "label": "invoice"}],
}
HEADER = [["This month", '=SUMIF(A3:A10000,TEXT(TODAY(),"yyyy-mm")&"*",D3:D10000)'], ["Sent", "From", "Invoice", "Total", "Message"]]
TOTAL = re.compile(r"\btotal:?\s*(?:EUR|€)?\s*([\d,]+\.\d\d)\b", re.IGNORECASE)


def call(method, path, body=None, once=""):
    """The data of an answer. `once` names a write, which happens once for it, however often it is sent."""
    headers = {"Authorization": f"Bearer {os.environ['ATRIUM_KEY']}", "Content-Type": "application/json", "Idempotency-Key": once}
    request = Request(ADDRESS + path, json.dumps(body).encode() if body else None, headers, method=method)
    with urlopen(request, timeout=60) as answer:
        return json.load(answer)["data"]


def find_or_make(path, listing, body):
    """The id of what a listing has by the name or title "Invoices", made where there is none."""
    found = [one for one in call("GET", listing) if "Invoices" in (one.get("name"), one.get("title"))]
    return (found or [call("POST", path, body, once=f"desk:{path}")])[0]["id"]


def set_up(colleague):
    """The filter, the folder and the spreadsheet; answers the ids of the latter two."""
    find_or_make("/v1/mail/filters", "/v1/mail/filters", {"name": "Invoices", "priority": 10, "rule": RULE})
    folder = find_or_make("/v1/file-folders", "/v1/file-folders", {"name": "Invoices"})
    new = {"type": "spreadsheet", "title": "Invoices", "folder_id": folder}
    sheet = find_or_make("/v1/documents", f"/v1/documents?folder_id={folder}", new)
    call("PUT", f"/v1/spreadsheets/{sheet}/values/A1", {"values": HEADER}, once=f"desk:header:{sheet}")
    shares = f"/v1/file-folders/{folder}/permissions"
    if colleague and colleague not in [share["principal"].get("email") for share in call("GET", shares)]:
        call("POST", shares, {"email": colleague, "role": "editor", "notify": True}, once=f"desk:share:{colleague}")
    return folder, sheet


def pdfs_of(parts):
    """The PDFs among attachments, those of attached messages too."""
    for part in parts:
        yield from [part] if part["mime_type"] == "application/pdf" else pdfs_of(part.get("attachments", []))


def file_invoice(message_id, folder, sheet):
    """Saves the PDFs of a message, writes a line for each, and takes the message out of the queue."""
    message = call("GET", f"/v1/messages/{message_id}")
    total = TOTAL.search(message["text"])
    done = {"add_flags": ["starred"]}
    for pdf in pdfs_of(message["attachments"]):
        name = f"{message_id}/{pdf['id']}"
        save = f"/v1/messages/{message_id}/attachments/{pdf['id']}/save"
        title = call("POST", save, {"folder_id": folder}, once=f"desk:file:{name}")["title"]
        sent, sender = message["sent_at"] or message["date"], "".join(one["address"] for one in message["addresses"]["from"][:1])
        row = [sent[:10], sender, title, float(total[1].replace(",", "")) if total else "", name]
        # Raw, for a text that begins with "=" would be a formula, and its sender is a stranger.
        line = {"values": [row], "input": "raw", "columns": "A:E", "row_key": name}
        call("POST", f"/v1/spreadsheets/{sheet}/values/append", line, once=f"desk:row:{name}")
        print(f"{title} of {sender}", flush=True)
        done = {"add_flags": ["read"], "move_to": "archive"}
    change = {"message_ids": [message_id], "remove_labels": ["invoice"], **done}
    call("POST", "/v1/messages/batch", change, once=f"desk:done:{message_id}")


def main(colleague=None):
    """Files what is in the queue, and what comes to it."""
    folder, sheet = set_up(colleague)
    cursor = call("GET", "/v1/changes")["cursor"]
    print("Waiting for invoices.", flush=True)
    while True:
        while queue := call("GET", "/v1/messages?folder_id=inbox&label=invoice&limit=200"):
            for message in reversed(queue):
                file_invoice(message["id"], folder, sheet)
        cursor = call("GET", f"/v1/changes?cursor={cursor}&types=message.created&types=message.changed&wait=30")["cursor"]


if __name__ == "__main__":
    try:
        main(*sys.argv[1:])
    except HTTPError as refusal:
        sys.exit(f"{refusal.url}: {refusal.code} {refusal.read().decode()}")
    except KeyboardInterrupt:
        print("Stopped.")
