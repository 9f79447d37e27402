"""bleak as the central of a service that is ours: python bleak_central.py hci1 [whole]

It begins when it is told a line, asks the story by a line `want …` to move the air, and waits for one in answer.
"""
import asyncio
import resource
import sys
import time

from bleak import BleakClient, BleakScanner
from bleak.exc import BleakError

SERVICE = "8e7f0001-2b5d-4c8e-9a55-c0ffee000001"
WRITABLE = "8e7f0002-2b5d-4c8e-9a55-c0ffee000001"
TELLING = "8e7f0003-2b5d-4c8e-9a55-c0ffee000001"
READABLE = "8e7f0004-2b5d-4c8e-9a55-c0ffee000001"


def cpu():
    used = resource.getrusage(resource.RUSAGE_SELF)
    return used.ru_utime + used.ru_stime


async def want(what):
    print(f"want {what}", flush=True)
    await asyncio.to_thread(sys.stdin.readline)


async def use(client, told):
    await client.start_notify(TELLING, lambda _, value: told.put_nowait(bytes(value)))
    assert bytes(await client.read_gatt_char(READABLE)) == b"hello from Reunion"
    for size in (1, 20, 508, 510):
        value = bytes((i * 7 + size) & 255 for i in range(size))
        await client.write_gatt_char(WRITABLE, value, response=True)
        assert await asyncio.wait_for(told.get(), 10) == value, size
    await client.write_gatt_char(WRITABLE, b"BURST", response=True)
    order = [(await asyncio.wait_for(told.get(), 20))[0] for _ in range(100)]
    late = sum(1 for a, b in zip(order, order[1:]) if b < a)
    assert sorted(order) == list(range(100)), "values are missing"
    print(f"figure {late} of 100 values told out of order", flush=True)


async def send(client):
    """64 KiB as an app sends them that has no messages: one write after the other."""
    start, before = time.monotonic(), cpu()
    for _ in range(129):
        await client.write_gatt_char(WRITABLE, bytes(508), response=True)
    spent = time.monotonic() - start
    print(f"figure 64 KiB after {spent:.1f} s with {cpu() - before:.2f} s of CPU", flush=True)


async def come_back(device, adapter, lost):
    """Out of range for as long as the story wants: how long until values are told again?"""
    await want("away")
    await asyncio.wait_for(lost.wait(), 20)
    back = None

    async def return_later():
        nonlocal back
        await want("back")
        back = time.monotonic()

    returning = asyncio.create_task(return_later())
    attempts = 0
    while True:
        attempts += 1
        client = BleakClient(device, bluez={"adapter": adapter})
        try:
            await client.connect(timeout=10)
            await client.start_notify(TELLING, lambda *_: None)
            break
        except (BleakError, TimeoutError, asyncio.TimeoutError):
            assert attempts < 10, "it does not come back"
    await returning
    spent = (time.monotonic() - back) * 1000
    print(f"figure ready again after {spent:.0f} ms in {attempts} attempts", flush=True)
    await client.disconnect()


async def main(adapter, is_whole):
    device = await BleakScanner.find_device_by_filter(
        lambda device, seen: SERVICE in seen.service_uuids, timeout=30, bluez={"adapter": adapter}
    )
    assert device, "it is not seen"
    start = time.monotonic()
    lost = asyncio.Event()
    client = BleakClient(device, lambda _: lost.set(), bluez={"adapter": adapter})
    await client.connect()
    print(f"figure connected {time.monotonic() - start:.2f} s", flush=True)
    await use(client, asyncio.Queue())
    if not is_whole:
        return await client.disconnect()
    await send(client)
    await come_back(device, adapter, lost)


sys.stdin.readline()
asyncio.run(main(sys.argv[1], "whole" in sys.argv))
