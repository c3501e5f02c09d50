"""Certificates for tests, each its own authority."""

from __future__ import annotations

import shutil
import subprocess
from pathlib import Path
from typing import NamedTuple

import pytest
from distributed.security import Security

from directrank.distributed.handshake import TLSContexts


class Certificate(NamedTuple):
    """A self-signed certificate and its key, as files."""

    certificate: str
    key: str

    @classmethod
    def make(cls, folder: Path, name: str) -> Certificate:
        if shutil.which("openssl") is None:
            pytest.skip("certificates are made with openssl, which is not installed")
        made = cls(str(folder / f"{name}.pem"), str(folder / f"{name}.key"))
        kind = ("-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:prime256v1", "-nodes", "-days", "2")
        command = ["openssl", "req", "-x509", *kind, "-subj", f"/CN={name}", "-keyout", made.key, "-out", made.certificate]
        subprocess.run(command, check=True, capture_output=True)
        return made

    def security(self) -> Security:
        """Settings of a Dask cluster on which all have this certificate."""
        roles = {f"tls_{role}_{what}": file for role in ("scheduler", "worker", "client") for what, file in self._files()}
        return Security(tls_ca_file=self.certificate, require_encryption=True, **roles)

    def contexts(self) -> TLSContexts:
        """TLS contexts of a worker."""
        security = self.security()
        return TLSContexts(
            security.get_listen_args("worker")["ssl_context"], security.get_connection_args("worker")["ssl_context"]
        )

    def _files(self) -> tuple[tuple[str, str], tuple[str, str]]:
        return ("cert", self.certificate), ("key", self.key)
