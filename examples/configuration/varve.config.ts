import { defineConfig } from '@varve/sessions/config';

/** Two agents, three channels. Try it: pnpm varve doctor --config examples/configuration/varve.config.ts --for agent:ops:irc:group:room */
export default defineConfig({
  store: { root: '~/.varve' },
  models: {
    default: 'fast',
    names: { fast: 'anthropic/claude-haiku-4-5', deep: 'anthropic/claude-opus-4-5' },
  },
  session: {
    dmScope: 'per-channel-peer',
    identityLinks: { grace: ['telegram:42', 'discord:77'] },
    bindings: [{ agentId: 'ops', channel: 'irc' }],
    reset: { mode: 'daily', atHour: 4, timeZone: 'Asia/Shanghai' },
    resetByType: { group: { mode: 'idle', idleMinutes: 120 } },
    sendPolicy: {
      rules: [{ action: 'deny', match: { chatType: ['group', 'channel'], addressed: 'any' }, reason: 'nobody asked' }],
    },
  },
  global: {
    thinking: 'low',
    compaction: { models: ['fast'] },
  },
  agents: {
    main: { instructions: 'You keep the diary of a lighthouse.' },
    ops: { model: 'deep', pruning: { prices: 'anthropic-1h' }, reset: { mode: 'none' } },
  },
  channels: {
    irc: { verbose: 'off', send: { rules: [{ action: 'deny', match: { kind: 'typing' } }] } },
  },
});
