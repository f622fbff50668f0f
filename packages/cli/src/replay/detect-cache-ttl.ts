import type { Transcript } from '@varve/adapters/transcripts';
import type { CacheTtl } from './prompt-cache.ts';

/** Calls that are looked at: the first ones write to the cache, so they tell. */
const mostCalls = 20;

/** How long the provider kept what the transcript's tool had cached, as its first calls report it. @default 5m */
export async function detectCacheTtl(transcript: Transcript): Promise<CacheTtl> {
  let calls = 0;
  for await (const record of transcript.records()) {
    if (record.kind !== 'message' || record.call === undefined) continue;
    if (record.call.cacheWriteTtl !== undefined) return record.call.cacheWriteTtl;
    calls += 1;
    if (calls === mostCalls) break;
  }
  return '5m';
}
