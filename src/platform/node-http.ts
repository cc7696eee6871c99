// An import of node:http as a value evaluates all of its exports, and one of them loads Node's client for fetch: 3 MB
// that a server does not use. What is imported from here does not load it.
const http = process.getBuiltinModule('node:http');
const https = process.getBuiltinModule('node:https');

export const { createServer, STATUS_CODES, Agent, request } = http;
export const { createServer: createTlsServer, Agent: TlsAgent, request: tlsRequest } = https;
