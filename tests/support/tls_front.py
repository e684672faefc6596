"""Speaks TLS in front of a server of PostgreSQL that cannot: tls_front.py CERTIFICATE KEY PORT.

Prints the port that it listens at. Ends when its standard input does.
"""

import os
import socket
import ssl
import sys
import threading


def pump(source, target):
    try:
        while data := source.recv(1 << 16):
            target.sendall(data)
    except OSError:
        pass
    for end in (source, target):
        try:
            end.shutdown(socket.SHUT_RDWR)
        except OSError:
            pass


def serve(client, context, port):
    try:
        client.recv(8)  # The request to speak TLS, which is always the first.
        client.sendall(b"S")
        client = context.wrap_socket(client, server_side=True)
    except OSError:
        return client.close()
    server = socket.create_connection(("127.0.0.1", port))
    threading.Thread(target=pump, args=(client, server), daemon=True).start()
    pump(server, client)


def accept(listener, context, port):
    while True:
        client, _ = listener.accept()
        threading.Thread(target=serve, args=(client, context, port), daemon=True).start()


certificate, key, port = sys.argv[1:]
context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
context.load_cert_chain(certificate, key)
listener = socket.create_server(("127.0.0.1", 0))
print(listener.getsockname()[1], flush=True)
threading.Thread(target=accept, args=(listener, context, int(port)), daemon=True).start()
sys.stdin.read()
os._exit(0)
