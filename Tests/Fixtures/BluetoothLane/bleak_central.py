"""bleak as the central of a service that is ours: python bleak_central.py hci1"""
import asyncio
import sys
import time

from bleak import BleakClient, BleakScanner

SERVICE = "8e7f0001-2b5d-4c8e-9a55-c0ffee000001"
WRITABLE = "8e7f0002-2b5d-4c8e-9a55-c0ffee000001"
TELLING = "8e7f0003-2b5d-4c8e-9a55-c0ffee000001"
READABLE = "8e7f0004-2b5d-4c8e-9a55-c0ffee000001"


async def main(adapter):
    device = await BleakScanner.find_device_by_filter(
        lambda device, seen: SERVICE in seen.service_uuids, timeout=30, bluez={"adapter": adapter}
    )
    assert device, "it is not seen"
    start = time.monotonic()
    async with BleakClient(device, bluez={"adapter": adapter}) as client:
        print(f"figure connected {time.monotonic() - start:.2f} s", flush=True)
        told = asyncio.Queue()
        await client.start_notify(TELLING, lambda _, value: told.put_nowait(bytes(value)))
        assert bytes(await client.read_gatt_char(READABLE)) == b"hello from Reunion"
        for size in (1, 20, 508, 510):
            value = bytes((i * 7 + size) & 255 for i in range(size))
            await client.write_gatt_char(WRITABLE, value, response=True)
            # What we tell has at most 508 bytes only where we cut it; this is one value.
            assert await asyncio.wait_for(told.get(), 10) == value, size
        await client.write_gatt_char(WRITABLE, b"BURST", response=True)
        order = [(await asyncio.wait_for(told.get(), 20))[0] for _ in range(100)]
        late = sum(1 for a, b in zip(order, order[1:]) if b < a)
        assert sorted(order) == list(range(100)), "values are missing"
        print(f"figure {late} of 100 values told out of order", flush=True)


asyncio.run(main(sys.argv[1]))
