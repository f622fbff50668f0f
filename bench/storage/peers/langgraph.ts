/** A thread of LangGraph whose node answers every message. */
export interface LangGraphThread {
  /** One more message and its answer. */
  turn(): Promise<void>;
}

/** LangGraph with its SQLite checkpointer. @throws when it is not installed. */
export async function loadLangGraph(): Promise<{ begin(path: string, turns: number): Promise<LangGraphThread> }> {
  const { StateGraph, MessagesAnnotation, START, END } = await import('@langchain/langgraph');
  const { SqliteSaver } = await import('@langchain/langgraph-checkpoint-sqlite');
  const { HumanMessage, AIMessage } = await import('@langchain/core/messages');
  return {
    begin: async (path, turns) => {
      const graph = new StateGraph(MessagesAnnotation)
        .addNode('answer', async () => ({ messages: [new AIMessage('Now it is done.')] }))
        .addEdge(START, 'answer')
        .addEdge('answer', END);
      const app = graph.compile({ checkpointer: SqliteSaver.fromConnString(path) });
      const thread = { configurable: { thread_id: 'thread' } };
      const said = 'What was asked, and what was answered, in some words more than the shortest messages have. '.repeat(
        6,
      );
      const before = Array.from({ length: turns }, () => [new HumanMessage(said), new AIMessage(said)]).flat();
      await app.updateState(thread, { messages: before });
      return {
        turn: async () => {
          await app.invoke({ messages: [new HumanMessage('And now?')] }, thread);
        },
      };
    },
  };
}
