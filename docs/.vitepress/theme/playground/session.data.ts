import { join } from 'node:path';
import { readTranscript } from '@varve/adapters/transcripts';
import type { SampleMessage } from './sample-message.ts';

const file = join(import.meta.dirname, '../../../../examples/transcripts/varve-session.jsonl');

/** The shipped transcript, read once when the site is built. */
export default {
  watch: [file],
  load: async (): Promise<readonly SampleMessage[]> => {
    const transcript = await readTranscript(file);
    const messages: SampleMessage[] = [];
    for await (const record of transcript.records()) {
      if (record.kind !== 'message') continue;
      const { message, key, at = 0, call } = record;
      messages.push({ message, key, at, isAnswer: call !== undefined });
    }
    return messages;
  },
};

/** What the loader gives to whoever imports it. */
export declare const data: readonly SampleMessage[];
