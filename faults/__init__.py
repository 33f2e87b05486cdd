"""Faults, made for real: processes and nodes killed, disks full and read-only, files damaged, clocks that jump.

``python -m faults`` (or ``make faults``) makes them all, again and again, and counts what they cost: no finished run
may be lost or run twice, and damage must be told by name.
"""
