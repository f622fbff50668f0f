/** A fault put into the sources: in each file the text `from`, which stands there once, becomes `to`. */
export interface Mutant {
  readonly id: string;
  readonly what: string;
  /** What the oracle says of it. */
  readonly finds: string;
  readonly edits: readonly { readonly file: string; readonly from: string; readonly to: string }[];
}

const folder = 'packages/sessions/src/subagent';

/** Faults that the oracle must find. */
export const mutants: readonly Mutant[] = [
  {
    id: 'without-key',
    what: 'an end is told without the key that makes it be told once',
    finds: 'it was told of 2 times',
    edits: [{ file: `${folder}/deliver-end.ts`, from: '{ key: completionId, provenance }', to: '{ provenance }' }],
  },
  {
    id: 'told-before-durable',
    what: 'the parent is told of an end before that is in the journal of the sub-agent',
    finds: 'told before its end was durable',
    edits: [
      {
        file: `${folder}/run-child.ts`,
        from: '        await session.record(childRecords.ended, { ...ended });\n',
        to: '        setTimeout(() => void session.record(childRecords.ended, { ...ended }).catch(() => undefined), 200);\n',
      },
    ],
  },
  {
    id: 'woken-skipped',
    what: 'ends are not brought to parents that are awake',
    finds: 'it was told of 0 times',
    edits: [
      {
        file: `${folder}/recover-children.ts`,
        from: 'if (journal.ended !== null) return',
        to: 'if (journal.ended !== null) return world.live.awake(spawned.parentKey) !== null ? null :',
      },
      {
        file: `${folder}/recover-children.ts`,
        from: '  if (session === null) return;\n',
        to: '  if (session !== null) return;\n  if (session === null) return;\n',
      },
    ],
  },
  {
    id: 'told-without-a-note',
    what: 'a sub-agent that was told of is told of again after a restart, by another name',
    finds: 'it was told of 2 times',
    edits: [
      {
        file: `${folder}/deliver-end.ts`,
        from: '  const { completionId } = ended;\n',
        to: '  const completionId = [Math.random(), record.childKey].join();\n',
      },
    ],
  },
];
