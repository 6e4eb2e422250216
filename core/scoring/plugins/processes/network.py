"""Permission of a plug-in's process to reach addresses, held by an audit hook on Python's sockets.

It stops connections that a library opens unasked. It is no sandbox: a program that the plug-in starts, and C code with sockets of its own, get past it.
"""

from __future__ import annotations

import socket
import sys
from dataclasses import dataclass

_NAMES = frozenset({"socket.getaddrinfo", "socket.gethostbyname", "socket.gethostbyaddr", "socket.getnameinfo"})
_SENDS = frozenset({"socket.connect", "socket.sendto", "socket.sendmsg"})
_LOCAL_FAMILY = getattr(socket, "AF_UNIX", None)  # of processes of one machine, as those of multiprocessing


@dataclass
class NetworkPermission:
    """Refuses addresses with a PermissionError that ends in `advice`, but while it `is_given`; `refused` is the last such sentence."""

    advice: str
    is_given: bool = False
    refused: str = ""

    def hold(self) -> None:
        """Hold it from now on until the process ends."""
        sys.addaudithook(self._check)

    def _check(self, event: str, arguments: tuple[object, ...]) -> None:
        if self.is_given or event not in _NAMES | _SENDS:
            return
        if event in _SENDS:
            sender, address = arguments
            if address is None or (isinstance(sender, socket.socket) and sender.family == _LOCAL_FAMILY):
                return  # it is connected, which was refused or given before
        else:
            address = arguments[0]
        text = ":".join(map(str, address[:2])) if isinstance(address, tuple) else str(address)
        self.refused = f"It asked for {text[:100]} and has no permission for the network. {self.advice}"
        raise PermissionError(self.refused)
