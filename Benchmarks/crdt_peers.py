"""Workload M on libraries that keep a document in memory: prints a JSON list, of each its name, the bytes of
its document, the CPU seconds from those to the first field, and the peak memory over an empty process.

10,000 maps of ten fields are set field by field, then overwritten four times, 100 sets a transaction. Each
library runs in a process of its own; one that is not installed is left out.
"""
import json, os, resource, subprocess, sys, tempfile, time

RECORDS, FIELDS, PASSES, BATCH = 10_000, 10, 5, 100


def value(record, field, generation):
    number = (record * 2654435761 + field * 40503 + generation * 97) & 0xFFFFFFFF
    return f"v{number:08x}{(number ^ 0x5bd1e995) & 0xFFFFFFF:07x}" if field % 2 == 0 else number


def batches():
    batch = []
    for generation in range(PASSES):
        for field in range(FIELDS):
            for record in range(RECORDS):
                batch.append((record, field, value(record, field, generation)))
                if len(batch) == BATCH:
                    yield batch
                    batch = []


def pycrdt_fill():
    from pycrdt import Doc, Map
    document = Doc()
    root = document.get("root", type=Map)
    with document.transaction():
        for record in range(RECORDS):
            root[str(record)] = Map()
    maps = [root[str(record)] for record in range(RECORDS)]
    for batch in batches():
        with document.transaction():
            for record, field, new in batch:
                maps[record][f"f{field}"] = new
    return document.get_update()


def pycrdt_open(data):
    from pycrdt import Doc, Map
    document = Doc()
    document.apply_update(data)
    return document.get("root", type=Map)["5"]["f0"]


def loro_fill():
    from loro import ExportMode, LoroDoc, LoroMap
    document = LoroDoc()
    root = document.get_map("root")
    maps = [root.insert_container(str(record), LoroMap()) for record in range(RECORDS)]
    document.commit()
    for batch in batches():
        for record, field, new in batch:
            maps[record].insert(f"f{field}", new)
        document.commit()
    return document.export(ExportMode.Snapshot())


def loro_open(data):
    from loro import LoroDoc
    document = LoroDoc()
    document.import_(data)
    return document.get_map("root").get("5").container.get("f0").value


PEERS = {"pycrdt": (pycrdt_fill, pycrdt_open), "loro": (loro_fill, loro_open)}


def peak():
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * 1024


def child(*arguments):
    command = [sys.executable, __file__, *arguments]
    result = subprocess.run(command, capture_output=True, text=True)
    return json.loads(result.stdout) if result.returncode == 0 else None


def main():
    if sys.argv[1:] == ["empty"]:
        return print(peak())
    if len(sys.argv) == 4:
        what, name, path = sys.argv[1:]
        fill, open_document = PEERS[name]
        if what == "fill":
            data = fill()
            open(path, "wb").write(data)
            return print(json.dumps([len(data), peak()]))
        data = open(path, "rb").read()
        __import__(name)
        start = time.process_time()
        assert open_document(data) == value(5, 0, PASSES - 1)
        return print(time.process_time() - start)
    empty = child("empty")
    rows = []
    for name in PEERS:
        with tempfile.TemporaryDirectory() as folder:
            path = os.path.join(folder, "document")
            filled = child("fill", name, path)
            if filled is None:
                print(f"{name} is not installed", file=sys.stderr)
                continue
            rows.append({
                "name": name, "bytes": filled[0], "peakBytes": filled[1] - empty,
                "openSeconds": child("open", name, path)})
    print(json.dumps(rows))


main()
