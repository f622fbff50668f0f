import { Command } from 'commander';
import { configHelp, openConfig, rootHelp } from '../config/open-config.ts';
import { parseModelName } from '../models/model-name.ts';
import { type CliIo, writeTo } from '../terminal/cli-io.ts';
import type { ExitCode } from '../terminal/exit-code.ts';
import { parseBudget } from '../terminal/parse-options.ts';
import { printableText } from '../terminal/printable-text.ts';
import { chat } from './chat.ts';
import { createChatView } from './chat-view.ts';
import { lockConversation } from './lock-conversation.ts';
import { openTalk } from './open-talk.ts';
import { emptyInput, readLines } from './read-lines.ts';
import { spokenBefore } from './resumed.ts';
import { talkOf } from './talk-of-key.ts';
import { tellEvents } from './tell-events.ts';

interface ChatFlags {
  readonly agent: string;
  readonly root?: string;
  readonly config?: string;
  readonly model?: string;
  readonly budget?: number;
  readonly json?: boolean;
}

const examples = `
Examples:
  varve chat
  varve chat --model anthropic:claude-sonnet-5-5
  varve chat work --budget 8k
  varve chat 'agent:main:telegram:direct:123' --root journals/
  echo "What did we decide?" | varve chat work

In the conversation:
  /new [model] [message]    begins a new one; the old one is kept. /reset and /restart are the same
  /compact [focus]          summarises what is old
  /model, /think, /verbose  which model answers, how hard it thinks, whether you are told of compactions
  /send on|off|inherit      whether answers may leave
  /status, /context, /help  how full the prompt is, what is in it, all commands
  /quit                     leaves, as Ctrl-D does

A line that ends in \\ goes on in the next one; what is pasted is one message.
Ctrl-C clears what is typed, stops an answer, and twice leaves.
Keys of providers are read from the environment: ANTHROPIC_API_KEY, OPENAI_API_KEY.

Exit codes: 0 done, 1 a message could not be answered, 2 not done, 130 interrupted.
`;

/** Makes `varve chat`. `done` is told the exit code. */
export function chatCommand(io: CliIo, done: (code: ExitCode) => void): Command {
  return new Command('chat')
    .summary('a conversation in the terminal')
    .description(
      'Talks in a real session: everything is stored before it is answered, so that a conversation goes on where it ' +
        'was, whatever happened. Without a model of a provider, the offline one says what is in its prompt.',
    )
    .argument('[conversation]', "a name, or the key of a conversation (default: the agent's main one)")
    .option('--agent <id>', 'the agent that is spoken with', 'main')
    .option('--model <name>', 'offline, or provider:model (default: what the configuration says, else offline)')
    .option('--budget <tokens>', 'size of prompts, such as 32k (default: what the model takes)', parseBudget)
    .option('--root <folder>', rootHelp)
    .option('--config <file>', configHelp)
    .option('--json', 'print one JSON object a line instead')
    .addHelpText('after', examples)
    .action(async (conversation: string | undefined, flags: ChatFlags) => done(await runChat(io, conversation, flags)));
}

async function runChat(io: CliIo, conversation: string | undefined, flags: ChatFlags): Promise<ExitCode> {
  const { stdin = emptyInput(), stdout } = io;
  const talk = talkOf(conversation, flags.agent);
  const { loaded, root } = await openConfig(flags, io);
  for (const { path, text } of loaded?.warnings ?? []) {
    await writeTo(io.stderr, `warning: ${printableText(`${path}: ${text}`)}\n`);
  }
  const model = flags.model === undefined ? null : parseModelName(flags.model, loaded?.config);
  const isTerminal = stdin.isTTY === true && stdout.isTTY === true;
  const view = createChatView(io, { json: flags.json === true, isPlain: !isTerminal });
  await using open = await openTalk({
    root,
    config: loaded?.config ?? null,
    talk,
    model,
    budget: flags.budget ?? null,
    env: io.env,
    announce: ({ text = '' }) => void view.announced(text),
  });
  if (!open.models.isNamed) {
    const text =
      'Nobody is asked: the offline model says what is in its prompt. --model anthropic:… or openai:… asks one.';
    await view.note({ type: 'offline', text });
  }
  await lockConversation(open);
  if (isTerminal) await view.note({ type: 'hint', text: '/help lists the commands, /quit leaves.' });
  const history = await spokenBefore(open);
  using lines = readLines({ input: stdin, output: stdout, prompt: '> ', history });
  using _events = tellEvents(open, { view, lines });
  return await chat({ io, talk, open, view, lines, isTerminal });
}
