"""A mail program of somebody elsewhere, of Python's standard library: reads invitations and answers them by SMTP.

attendee.py read < message        what the email package reads in an invitation, as JSON
attendee.py answer < JSON         {host, port, invitation, from, to, partstat}: answers an invitation as mail programs do
attendee.py send < JSON           {host, port, messages: [{envelope, to, message}]}: sends messages exactly as they are
"""
import datetime
import email
import email.message
import email.policy
import email.utils
import json
import smtplib
import sys


def read(raw):
    message = email.message_from_bytes(raw, policy=email.policy.default)
    calendars = [part for part in message.walk() if part.get_content_type() == "text/calendar"]
    [calendar] = calendars
    lines = calendar.get_content().replace("\r\n", "\n").replace("\n ", "").rstrip("\n").split("\n")
    properties = [line.partition(":") for line in lines]
    values = {name.partition(";")[0]: value for name, _, value in properties}
    return {
        "from": [address.addr_spec for address in message["from"].addresses],
        "to": [address.addr_spec for address in message["to"].addresses],
        "subject": message["subject"],
        "headers": sorted({name.lower() for name in message.keys()}),
        "text": message.get_body(("plain",)).get_content(),
        "types": [part.get_content_type() for part in message.walk() if not part.is_multipart()],
        "method": calendar.get_param("method"),
        "values": values,
        "attendees": [value for name, _, value in properties if name.startswith("ATTENDEE")],
        "defects": [str(defect) for part in message.walk() for defect in part.defects],
    }


def answer(host, port, invitation, to, partstat, **given):
    values = read(invitation.encode())["values"]
    stamp = datetime.datetime.now(datetime.timezone.utc).strftime("%Y%m%dT%H%M%SZ")
    _, address = email.utils.parseaddr(given["from"])
    lines = [
        "BEGIN:VCALENDAR", "PRODID:-//Elsewhere//EN", "VERSION:2.0", "METHOD:REPLY", "BEGIN:VEVENT",
        f"ATTENDEE;CN=Zoe;PARTSTAT={partstat}:MAILTO:{address}",
        *(f"{name}:{values[name]}" for name in ("UID", "SEQUENCE", "DTSTART", "ORGANIZER")),
        f"DTSTAMP:{stamp}", "SUMMARY:Accepted: Meeting", "REQUEST-STATUS:2.0;Success", "END:VEVENT", "END:VCALENDAR",
    ]
    message = email.message.EmailMessage()
    message["From"], message["To"], message["Subject"] = given["from"], to, f"{partstat.title()}: Meeting"
    message["Date"], message["Message-ID"] = email.utils.localtime(), email.utils.make_msgid(domain="elsewhere.example")
    message.set_content("I have answered.")
    message.add_alternative("\r\n".join(lines) + "\r\n", subtype="calendar", params={"method": "REPLY"})
    with smtplib.SMTP(host, port) as connection:
        connection.send_message(message)


def send(host, port, messages):
    with smtplib.SMTP(host, port) as connection:
        for one in messages:
            connection.sendmail(one["envelope"], one["to"], one["message"].encode())


command = sys.argv[1]
if command == "read":
    print(json.dumps(read(sys.stdin.buffer.read())))
else:
    {"answer": answer, "send": send}[command](**json.load(sys.stdin))
