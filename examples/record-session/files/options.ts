import { createHost, VarveError } from '@varve/core';
import { redactor } from '../examples/redactor/redactor.ts';

// What somebody might write in a configuration file, where no compiler looks.
const given: unknown[] = [{}, { pattern: ['sk-.*'] }, { patterns: 'sk-.*' }, { patterns: [] }, { patterns: ['('] }];
for (const options of given) {
  const start = JSON.stringify(options).padEnd(24);
  try {
    const host = await createHost({ plugins: [redactor(options as never)] });
    const session = await host.open('options');
    const entry = await session.ingest({ role: 'user', content: 'Deploy it.' });
    console.log(start, JSON.stringify(entry.message.content));
  } catch (error) {
    console.log(start, VarveError.is(error) ? `${error.code}: ${error.message}` : String(error));
  }
}
