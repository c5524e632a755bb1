#!/usr/bin/python3
"""Starts a resident LibreOffice over UNO, then converts each file whose path arrives on standard input, and prints one
line for each. Usage: resident-office.py <profile folder> <output file>"""
import os
import signal
import subprocess
import sys
import time

import uno
from com.sun.star.beans import PropertyValue

# Ends LibreOffice too.
signal.signal(signal.SIGTERM, lambda *_: sys.exit())
profile, output = sys.argv[1:]
pipe = f"bench{os.getpid()}"
office = subprocess.Popen(
    ["soffice", f"-env:UserInstallation=file://{profile}", "--headless", "--norestore", f"--accept=pipe,name={pipe};urp"],
    stdout=subprocess.DEVNULL,
    stderr=subprocess.DEVNULL,
)


def prop(name, value):
    made = PropertyValue()
    made.Name, made.Value = name, value
    return made


def connect():
    local = uno.getComponentContext()
    resolver = local.ServiceManager.createInstanceWithContext("com.sun.star.bridge.UnoUrlResolver", local)
    for _ in range(300):
        try:
            context = resolver.resolve(f"uno:pipe,name={pipe};urp;StarOffice.ComponentContext")
            return context.ServiceManager.createInstanceWithContext("com.sun.star.frame.Desktop", context)
        except Exception:
            time.sleep(0.1)
    sys.exit("LibreOffice does not answer.")


def convert(path):
    document = desktop.loadComponentFromURL(uno.systemPathToFileUrl(path), "_blank", 0, (prop("Hidden", True),))
    for kind, export in (
        ("sheet.SpreadsheetDocument", "calc_pdf_Export"),
        ("presentation.PresentationDocument", "impress_pdf_Export"),
        ("text.TextDocument", "writer_pdf_Export"),
    ):
        if document.supportsService(f"com.sun.star.{kind}"):
            document.storeToURL(uno.systemPathToFileUrl(output), (prop("FilterName", export),))
            break
    document.close(True)


desktop = connect()
print("ready", flush=True)
try:
    for line in sys.stdin:
        try:
            convert(line.rstrip("\n"))
            print("done", flush=True)
        except Exception as error:
            print(f"failed {error}".replace("\n", " "), flush=True)
finally:
    try:
        desktop.terminate()
    except Exception:
        pass
    office.wait()
