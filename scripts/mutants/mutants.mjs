/**
 * A fault put into the built product: within a package the text `from`, which stands there exactly once, becomes `to`. In a
 * replay with `plugins` (those of the command line where it does not say), the judge must find a violation of the kind
 * `finds`.
 *
 * @typedef {{ id: string, what: string, plugins?: string, within: string, from: string, to: string, finds: string }} Mutant
 */

/** @type {readonly Mutant[]} */
export const mutants = [
  {
    id: 'result-dropped',
    what: 'the third result of a message is left out',
    within: 'packages/adapters',
    from: '[...placed.filter(isResult), ',
    to: '[...placed.filter(isResult).slice(0, 2), ',
    finds: 'pairing',
  },
  {
    id: 'message-lost',
    what: 'the second compaction loses the first message that it keeps',
    within: 'packages/core',
    from: '(compaction.range.firstKept?.seq ?? compaction.seq)',
    to: '(compaction.range.firstKept?.seq ?? compaction.seq) + (compaction.previousId === null ? 0 : 1)',
    finds: 'verdict-missing',
  },
  {
    id: 'message-not-sent',
    what: 'behind a summary the first answer is not sent, and called kept',
    within: 'packages/core',
    from: '...stateOfDraft(draft).items.map((item) => item.message),',
    to: `...draft.items
            .filter((item) => layers.length === 0 || item !== draft.items.find(({ message }) => message.role === 'assistant' && message.content.every(({ type }) => type === 'text')))
            .map((item) => item.message),`,
    finds: 'lost',
  },
  {
    id: 'over-budget',
    what: 'every prompt is taken for 3 000 tokens smaller than it is',
    within: 'packages/core',
    from: 'draft.budget.reserved + leadTokens(draft)',
    to: 'draft.budget.reserved + leadTokens(draft) - 3_000',
    finds: 'budget',
  },
  {
    id: 'action-unnamed',
    what: 'results are cleared and no action is named',
    plugins: 'ttl-pruning',
    within: 'packages/core',
    from: '...verdictActions(previous, compared),',
    to: '',
    finds: 'prefix',
  },
  {
    id: 'cut-unnamed',
    what: 'old messages are left out and no action is named',
    plugins: 'none',
    within: 'packages/core',
    from: '...verdictActions(previous, compared),',
    to: '',
    finds: 'prefix',
  },
  {
    id: 'dropped-sent',
    what: 'what is left out of a prompt is sent all the same',
    plugins: 'none',
    within: 'packages/core',
    from: 'items: state.items.filter((item) => !gone.has(item.groupId)), verdicts',
    to: 'items: state.items, verdicts',
    finds: 'dropped-shown',
  },
  {
    id: 'user-twice',
    what: 'what the user says in the running turn is sent twice',
    within: 'packages/core',
    from: '...stateOfDraft(draft).items.map((item) => item.message),',
    to: `...draft.items.flatMap(({ live, message }) => (live && message.role === 'user' ? [message, message] : [message])),`,
    finds: 'duplicate',
  },
  {
    id: 'verdict-missing',
    what: 'every seventh entry has no verdict',
    within: 'packages/core',
    from: 'const visible = held.length === 0 ? [...messages] : [...held].concat([...messages]);',
    to: 'const visible = [...held, ...messages].filter(({ seq }) => seq % 7 !== 0);',
    finds: 'verdict-missing',
  },
  {
    id: 'held-forgotten',
    what: 'a compaction covers the message whose turn goes on',
    within: 'packages/core',
    from: 'firstKept: refOf(next), held: held === undefined ? null : refOf(held) }',
    to: 'firstKept: refOf(next), held: null }',
    finds: 'user-message',
  },
  {
    id: 'summary-not-sent',
    what: 'messages are covered by a summary that is not sent',
    within: 'packages/core',
    from: "...layers.filter((layer) => layer.place === 'summary').map(layerMessage),",
    to: '',
    finds: 'digest',
  },
  {
    id: 'result-cut',
    what: 'long results are cut without a verdict',
    within: 'packages/adapters',
    from: "toWellFormed(typeof value === 'string' ? value : JSON.stringify(value))",
    to: "toWellFormed(typeof value === 'string' ? value.slice(0, 2_000) : JSON.stringify(value))",
    finds: 'changed',
  },
  {
    id: 'blank-text',
    what: 'blank texts are sent',
    within: 'packages/adapters',
    from: "if (part.text.trim() === '')\n",
    to: 'if (false)\n',
    finds: 'empty',
  },
  {
    id: 'id-twice',
    what: 'calls with one id are not told apart',
    within: 'packages/core',
    from: 'id = copy === 1 ? toolCallId :',
    to: 'id = toolCallId; break; id =',
    finds: 'pairing',
  },
  {
    id: 'mark-too-early',
    what: 'the newest message stands behind the cache mark',
    within: 'packages/core',
    from: 'afterStable: stable.length }',
    to: 'afterStable: stable.length - 1 }',
    finds: 'mark',
  },
  {
    id: 'layer-not-counted',
    what: 'the summary does not count in the tokens of the prompt',
    within: 'packages/core',
    from: 'const tokens = draft.tokens + leadTokens(draft);',
    to: 'const tokens = draft.tokens + leadTokens(draft) - (draft.layers[0]?.tokens ?? 0);',
    finds: 'tokens',
  },
  {
    id: 'request-skipped',
    what: 'every fortieth request is not written',
    within: 'packages/cli',
    from: 'request += 1;\n            const written',
    to: 'globalThis.asked = (globalThis.asked ?? 0) + 1;\n            if (globalThis.asked % 40 === 0) return;\n            request += 1;\n            const written',
    finds: 'requests',
  },
];
