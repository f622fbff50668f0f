/** What a trace of system calls shows of a process that appends. */
export interface TraceCounts {
  /** Acknowledgements of entries and of records. */
  readonly acknowledged: number;
  readonly recorded: number;
  /** Those that came while something that had been written before was not synced. */
  readonly tooEarly: readonly string[];
  /** Of the stretch in which many were in flight. */
  readonly inFlight: { readonly appends: number; readonly writes: number; readonly syncs: number };
  /** Of the stretch in which each was awaited. */
  readonly alone: { readonly appends: number; readonly writes: number; readonly syncs: number };
}

interface Call {
  readonly name: string;
  readonly path: string;
  readonly text: string;
}

type Stretch = { appends: number; writes: number; syncs: number };

/**
 * Reads what `strace -f -y -e trace=write,writev,pwritev,fdatasync,fsync` prints. A call that another thread's calls
 * interrupt counts when it has ended: a sync from then on, and a write from its beginning.
 */
export function readTrace(text: string): TraceCounts {
  const unfinished = new Map<string, Call>();
  const dirty = new Set<string>();
  const tooEarly: string[] = [];
  const stretches = { alone: emptyStretch(), 'in flight': emptyStretch(), rest: emptyStretch() };
  let stretch: Stretch = stretches.rest;
  let [acknowledged, recorded] = [0, 0];
  for (const line of text.split('\n')) {
    const [, thread = '', rest = ''] = /^(?:\[pid +)?(\d+)\]? +(.*)$/.exec(line) ?? [];
    const resumed = /^<\.\.\. (\w+) resumed>/.exec(rest);
    const call = resumed === null ? callOf(rest) : (unfinished.get(thread) ?? null);
    if (call === null) continue;
    const isBegun = resumed === null;
    const isEnded = !rest.endsWith('<unfinished ...>');
    if (!isEnded) unfinished.set(thread, call);
    else unfinished.delete(thread);
    const isStored = call.path.endsWith('.jsonl');
    if (call.name.includes('write') && isStored && isBegun) {
      dirty.add(call.path);
      stretch.writes += 1;
    } else if (call.name.endsWith('sync') && isEnded) {
      if (isStored) stretch.syncs += 1;
      dirty.delete(call.path);
    } else if (call.name === 'write' && isBegun && !isStored) {
      const said = /"([a-z ]+)( \d+)?\\n"/.exec(call.text);
      if (said?.[1] === 'acknowledged') [acknowledged, stretch.appends] = [acknowledged + 1, stretch.appends + 1];
      else if (said?.[1] === 'recorded') recorded += 1;
      else if (said?.[2] === undefined && said !== null) {
        stretch = stretches[said[1] as 'alone'] ?? stretches.rest;
        continue;
      } else continue;
      const early = [...dirty].filter((path) => path.includes('/sessions/') === (said?.[1] === 'acknowledged'));
      if (early.length > 0) tooEarly.push(`${said?.[0]} while ${early.join(', ')} was not synced`);
    }
  }
  return { acknowledged, recorded, tooEarly, alone: stretches.alone, inFlight: stretches['in flight'] };
}

function emptyStretch(): Stretch {
  return { appends: 0, writes: 0, syncs: 0 };
}

function callOf(text: string): Call | null {
  const [, name, path] = /^(\w+)\(\d+<([^>]*)>/.exec(text) ?? [];
  return name === undefined || path === undefined ? null : { name, path, text };
}
