"""Calls of `pica inspect`, served or on its standard streams."""
import http.client
import json
import select
import signal
import subprocess
import urllib.parse

from test_cli import PICA


class CallError(Exception):
    """An error returned by a call."""

    def __init__(self, error):
        super().__init__(error['message'])
        self.code = error['code']


def request(method, params, number=1):
    return json.dumps({'jsonrpc': '2.0', 'id': number, 'method': method, 'params': params}).encode()


def result(answer):
    if 'error' in answer:
        raise CallError(answer['error'])
    return answer['result']


class Stdio:
    """pica inspect --stdio. A context manager."""

    def __init__(self, *captures):
        self.process = subprocess.Popen([PICA, 'inspect', '--stdio', *map(str, captures)], stdin=subprocess.PIPE, stdout=subprocess.PIPE)

    def send(self, line):
        self.process.stdin.write(line + b'\n')
        self.process.stdin.flush()
        ready, _, _ = select.select([self.process.stdout], [], [], 120)
        assert ready, f'no answer to {line[:200]}'
        return json.loads(self.process.stdout.readline())

    def call(self, method, **params):
        return result(self.send(request(method, params)))

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.process.stdin.close()
        self.code = self.process.wait(60)
        self.process.stdout.close()


class Served:
    """pica inspect, and its HTTP."""

    def __init__(self, *args):
        self.process = subprocess.Popen([PICA, 'inspect', *map(str, args)], stdout=subprocess.PIPE, text=True)
        self.url = self.process.stdout.readline().strip()
        parts = urllib.parse.urlsplit(self.url)
        self.host, self.port, self.path = parts.netloc, parts.port, parts.path

    def http(self, method, path, body=None, headers=None):
        """(status, headers, body)"""
        connection = http.client.HTTPConnection('127.0.0.1', self.port, timeout=60)
        connection.request(method, path, body, headers or {})
        answer = connection.getresponse()
        out = answer.status, answer.headers, answer.read()
        connection.close()
        return out

    def send(self, body, of='', **headers):
        status, _, text = self.http('POST', self.path + of + 'rpc', body, headers)
        assert status == 200, (status, text)
        return json.loads(text)

    def call(self, method, **params):
        return result(self.send(request(method, params)))

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.process.send_signal(signal.SIGINT)
        self.code = self.process.wait(60)
        self.process.stdout.close()
