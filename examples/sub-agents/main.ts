import { createHost, type Host, type Inbound, memoryStore } from '@varve/core';
import { createSessions, type Sessions } from '@varve/sessions';
import { scriptedModel } from './scripted-model.ts';

const store = memoryStore();
const key = 'agent:main:main';

/** Conversations of one process, whose words go to the terminal. */
interface Process {
  readonly host: Host;
  readonly sessions: Sessions;
  /** Resolves when a result was announced. */
  readonly announced: Promise<void>;
}

async function start(isSlow: (task: string) => boolean): Promise<Process> {
  const host = await createHost({ store });
  host.events.on('subagent-ended', ({ label, status }) => console.log(`(ended, ${status}: ${label})`));
  let announce = (): void => undefined;
  const announced = new Promise<void>((resolve) => {
    announce = resolve;
  });
  const sessions = createSessions({
    host,
    models: { defaultModel: 'example/scripted', port: () => scriptedModel(isSlow) },
    send: ({ kind, text }) => {
      if (text !== undefined) console.log(`${kind}: ${text}`);
      if (kind === 'announcement') announce();
    },
  });
  return { host, sessions, announced };
}

async function stop({ host, sessions }: Process): Promise<void> {
  await sessions.close();
  await host.close();
}

const question: Inbound = {
  ...{ channel: 'terminal', chatType: 'direct', peer: 'ada', messageId: '1', addressed: 'any' },
  sender: { id: 'ada', role: 'owner' },
  text: 'How high is the tower, and from when is the bridge?',
};

const first = await start((task) => task.includes('bridge'));
await first.sessions.receive(question);
await first.announced;
await stop(first); // With one at work.

const second = await start(() => false);
const { resumed } = await second.sessions.recover();
console.log(`(after a restart: ${resumed.length} goes on)`);
await second.announced;
const ends = await second.sessions.use(key, async ({ view }) =>
  view.messages().filter(({ provenance }) => provenance.kind === 'subagent'),
);
console.log(`The conversation was told ${ends.length} times, by two sub-agents.`);
await stop(second);
