import { appendFileSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:http';

/** A model that answers everything with one word and writes down what it was sent. Loopback only. */
const log = 'scratch/wire.log';
writeFileSync(log, '');
const server = createServer(async (request, response) => {
  let body = '';
  for await (const chunk of request) body += chunk;
  appendFileSync(log, `${request.method} ${request.url}\n${body}\n`);
  const usage = { input_tokens: Math.ceil(body.length / 4), output_tokens: 1 };
  const answer = { type: 'message', role: 'assistant', content: [{ type: 'text', text: 'Done.' }], usage };
  response.writeHead(200, { 'content-type': 'application/json' }).end(JSON.stringify(answer));
});
server.listen(48713, '127.0.0.1', () => console.log('fake model: http://127.0.0.1:48713'));
