"""Simulated time and a network without sockets: engine and twin in one event loop.

``loop`` has the clock that jumps, ``connector`` joins an aiohttp client to an aiohttp server in
memory. Both ends run the code that they run in production.
"""
