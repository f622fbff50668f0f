const verdictKinds = ['off-path', 'summarised', 'dropped', 'parked', 'cleared', 'edited', 'kept'];

/**
 * What a manifest says about the messages before one call.
 *
 * `shown` are the messages that have an entry, in the order of the source; `covered` are the indexes of those that a
 * range stands for.
 *
 * @typedef {{ shown: { index: number, entry: object }[], covered: number[], problems: { kind: string, what: string }[] }}
 *   Followed
 */

/**
 * Follows the manifests of one conversation: ties each entry to a message of the source, by order alone. The entries
 * of a manifest end with the last message before the call; an entry that was tied once stays tied.
 */
export function entryFollower(messages) {
  const indexOfSeq = new Map();
  const indexOfKey = new Map(messages.map(({ where }, index) => [where, index]));
  return {
    /** @returns {Followed} `before` is the number of messages before the call. */
    follow(manifest, before) {
      const malformed = malformation(manifest);
      if (malformed !== null) return { shown: [], covered: [], problems: [{ kind: 'manifest', what: malformed }] };
      const { entries, ranges } = manifest;
      const problems = tie(entries, { indexOfSeq, indexOfKey, before });
      const shown = entries
        .filter(({ seq }) => indexOfSeq.has(seq))
        .map((entry) => ({ index: indexOfSeq.get(entry.seq), entry }))
        .sort((a, b) => a.index - b.index);
      const covered = coveredOf({ shown, ranges, indexOfSeq, before, messages, problems });
      if (problems.length > 0) return { shown, covered, problems };
      for (const { index, entry } of shown) {
        if (entry.role === messages[index].role) continue;
        const what = `entry #${entry.seq} is a message of ${entry.role}, ${messages[index].where} one of ${messages[index].role}`;
        problems.push({ kind: 'manifest', what });
      }
      return { shown, covered, problems };
    },
  };
}

function malformation(manifest) {
  const { entries, ranges, layers, actions } = manifest ?? {};
  if (![entries, ranges, layers, actions].every(Array.isArray)) return 'entries, ranges, layers or actions is no list';
  if (entries.some(({ seq }) => !Number.isInteger(seq))) return 'an entry has no seq';
  if (new Set(entries.map(({ seq }) => seq)).size < entries.length) return 'two entries have one seq';
  const unknown = [...entries, ...ranges].find(({ kind }) => !verdictKinds.includes(kind));
  return unknown === undefined ? null : `the verdict "${unknown.kind}" is not known`;
}

/**
 * Ties entries that were not seen before: each run of them to the messages that end where the run ends. Where there are
 * fewer entries than messages, the keys say which are missing, so that one fault is not told as many.
 */
function tie(entries, { indexOfSeq, indexOfKey, before }) {
  const sorted = entries.toSorted((a, b) => a.seq - b.seq);
  const known = [...indexOfSeq].sort(([a], [b]) => a - b);
  const problems = [];
  let run = [];
  const place = (end) => {
    const lower = run.length === 0 ? -1 : (known.findLast(([seq]) => seq < run[0].seq)?.[1] ?? -1);
    const byKey = run.length < end - 1 - lower ? run.map(({ key }) => indexOfKey.get(key)) : [];
    const isWithin = byKey.length > 0 && byKey.every((index) => index > lower && index < end);
    run.toReversed().forEach(({ seq }, position) => {
      const index = isWithin ? byKey[run.length - 1 - position] : end - 1 - position;
      if (index > lower) indexOfSeq.set(seq, index);
      else problems.push({ kind: 'manifest', what: `entry #${seq} stands for no message of the source` });
    });
    run = [];
  };
  for (const entry of sorted) {
    const index = indexOfSeq.get(entry.seq);
    if (index === undefined) run.push(entry);
    else place(index);
  }
  place(before);
  return problems;
}

/** The messages without an entry; each must lie in a range that is summarised. */
function coveredOf({ shown, ranges, indexOfSeq, before, messages, problems }) {
  const summarised = ranges.filter(({ kind }) => kind === 'summarised');
  const inRange = (seq) => summarised.some(({ fromSeq, toSeq }) => fromSeq <= seq && seq <= toSeq);
  const seqOfIndex = new Map([...indexOfSeq].map(([seq, index]) => [index, seq]));
  const hasEntry = new Set(shown.map(({ index }) => index));
  const firstVisible = shown.find(({ entry }) => !inRange(entry.seq))?.index ?? before;
  const covered = [];
  for (let index = 0; index < before; index += 1) {
    if (hasEntry.has(index)) continue;
    const seq = seqOfIndex.get(index);
    const isCovered = seq === undefined ? index < firstVisible && summarised.length > 0 : inRange(seq);
    if (isCovered) covered.push(index);
    else
      problems.push({ kind: 'verdict-missing', what: `${messages[index].where} (${messages[index].role}) has none` });
  }
  return covered;
}
