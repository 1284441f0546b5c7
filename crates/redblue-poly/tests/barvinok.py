"""Counts integer points with barvinok, for the test `barvinok.rs`.

Reads lines `set <tab> n=5,m=3 <tab> n=6,m=3 ...` and prints one line of numbers per set. Needs the package
islpy-barvinok (barvinok is GPL: it stays in this separate process and is used for testing only).
"""

import sys

import islpy


def main():
    if not hasattr(islpy.Set, "card"):
        sys.exit("islpy is here, but without barvinok")
    for line in sys.stdin:
        text, *assignments = line.rstrip("\n").split("\t")
        count = islpy.Set(text).card()
        values = []
        for assignment in assignments:
            pairs = [pair.split("=") for pair in assignment.split(",") if pair]
            names = ", ".join(name for name, _ in pairs)
            equalities = " and ".join(f"{name} = {value}" for name, value in pairs)
            point = islpy.Set(f"[{names}] -> {{ : {equalities} }}").sample_point()
            values.append(str(count.eval(point).to_python()))
        print(" ".join(values), flush=True)


main()
