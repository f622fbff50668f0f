/** Bodies that the providers take, with much of what their rules are about. */
const anthropicTalk = [
  { role: 'user', content: [{ type: 'text', text: 'hello', cache_control: { type: 'ephemeral' } }] },
  {
    role: 'assistant',
    content: [
      { type: 'thinking', thinking: '', signature: 'signed' },
      { type: 'redacted_thinking', data: 'sealed' },
      { type: 'text', text: 'I look.' },
      { type: 'server_tool_use', id: 'srvtoolu_1', name: 'web_search', input: { query: 'x' } },
      { type: 'web_search_tool_result', tool_use_id: 'srvtoolu_1', content: [] },
      { type: 'tool_use', id: 'toolu_1', name: 'read', input: { path: 'a' } },
      { type: 'tool_use', id: 'toolu_2', name: 'read', input: {} },
    ],
  },
  {
    role: 'user',
    content: [
      { type: 'tool_result', tool_use_id: 'toolu_2', content: 'no such file', is_error: true },
      {
        type: 'tool_result',
        tool_use_id: 'toolu_1',
        content: [
          { type: 'text', text: 'seen' },
          { type: 'image', source: { type: 'base64', media_type: 'image/png', data: 'AAAA' } },
        ],
      },
      { type: 'text', text: 'go on' },
    ],
  },
];

const readTool = { name: 'read', input_schema: { type: 'object', properties: {} } };

/** For the Messages API of Anthropic. */
export const anthropicBodies: readonly unknown[] = [
  { model: 'm', max_tokens: 1, messages: [{ role: 'user', content: 'hello' }] },
  {
    model: 'm',
    max_tokens: 1,
    messages: [
      { role: 'user', content: 'hello' },
      { role: 'assistant', content: [] },
    ],
  },
  { model: 'm', max_tokens: 4096, messages: anthropicTalk, thinking: { type: 'enabled', budget_tokens: 1024 } },
  { model: 'm', max_tokens: 1, messages: anthropicTalk, thinking: { type: 'adaptive' } },
  {
    model: 'm',
    max_tokens: 1,
    system: [{ type: 'text', text: 'Be brief.', cache_control: { type: 'ephemeral', ttl: '1h' } }],
    messages: anthropicTalk,
    tools: [readTool, { type: 'web_search_20250305', name: 'web_search' }],
    tool_choice: { type: 'tool', name: 'read' },
    thinking: { type: 'disabled' },
  },
];

const chatCall = (id: string) => ({ id, type: 'function', function: { name: 'read', arguments: '{"path":"a"}' } });
const chatTool = { type: 'function', function: { name: 'read', parameters: { type: 'object', properties: {} } } };

/** For the Chat Completions API. */
export const openaiChatBodies: readonly unknown[] = [
  { model: 'm', messages: [{ role: 'user', content: '' }] },
  {
    model: 'm',
    messages: [
      { role: 'developer', content: [{ type: 'text', text: 'Be brief.' }] },
      {
        role: 'user',
        content: [
          { type: 'text', text: 'hello' },
          { type: 'image_url', image_url: { url: 'data:image/jpeg;base64,AAAA' } },
          { type: 'image_url', image_url: { url: 'https://example.org/a.bmp' } },
          { type: 'input_audio', input_audio: { data: 'AAAA', format: 'wav' } },
        ],
      },
      { role: 'assistant', content: null, tool_calls: [chatCall('a'), chatCall('b')] },
      { role: 'tool', tool_call_id: 'b', content: 'ok' },
      { role: 'tool', tool_call_id: 'a', content: '' },
      { role: 'assistant', content: 'hm', tool_calls: [chatCall('a')] },
      { role: 'tool', tool_call_id: 'a', content: 'again' },
      { role: 'assistant', content: [{ type: 'refusal', refusal: 'I will not.' }] },
      { role: 'assistant', content: null, refusal: 'I will not.' },
      { role: 'user', content: 'hello' },
    ],
    tools: [chatTool],
    tool_choice: { type: 'function', function: { name: 'read' } },
    max_completion_tokens: 1,
  },
  { model: 'm', messages: [{ role: 'user', content: 'hello' }], tools: [chatTool], tool_choice: 'required' },
];

/** For the Responses API. */
export const openaiResponsesBodies: readonly unknown[] = [
  { model: 'm', input: 'hello' },
  { model: 'm', previous_response_id: 'resp_1', input: [{ type: 'function_call_output', call_id: 'a', output: '' }] },
  {
    model: 'm',
    store: false,
    input: [
      { role: 'developer', content: 'Be brief.' },
      {
        type: 'message',
        role: 'user',
        content: [
          { type: 'input_text', text: 'hello' },
          { type: 'input_image', image_url: 'data:image/png;base64,AAAA', detail: 'auto' },
          { type: 'input_image', file_id: 'file-1', detail: 'auto' },
        ],
      },
      { type: 'reasoning', id: 'rs_1', summary: [], encrypted_content: 'sealed' },
      { type: 'reasoning', id: 'rs_2', summary: [], encrypted_content: 'sealed' },
      { type: 'message', id: 'msg_1', role: 'assistant', content: [{ type: 'output_text', text: 'I look.' }] },
      { type: 'web_search_call', id: 'ws_1', status: 'completed' },
      { type: 'function_call', id: 'fc_1', call_id: 'a', name: 'read', arguments: '{}' },
      { type: 'function_call', call_id: 'b', name: 'read', arguments: '{"path":"a"}' },
      { type: 'function_call_output', call_id: 'b', output: [{ type: 'input_text', text: 'ok' }] },
      { type: 'function_call_output', call_id: 'a', output: 'ok' },
      { role: 'assistant', content: 'So.' },
    ],
    tools: [{ type: 'function', name: 'read', parameters: { type: 'object', properties: {} } }, { type: 'web_search' }],
    tool_choice: { type: 'function', name: 'read' },
    max_output_tokens: 16,
  },
];

/** For Gemini's `generateContent`. */
export const geminiBodies: readonly unknown[] = [
  { contents: [{ parts: [{ text: 'hello' }] }] },
  {
    model: 'gemini-3-pro',
    systemInstruction: { parts: [{ text: 'Be brief.' }] },
    contents: [
      { role: 'user', parts: [{ text: 'hello' }, { inlineData: { mimeType: 'image/png', data: 'AAAA' } }] },
      {
        role: 'model',
        parts: [
          { text: 'hm', thought: true },
          { functionCall: { name: 'fs.read', args: {} }, thoughtSignature: 'signed' },
          { functionCall: { name: 'fs.read', args: { path: 'a' } } },
        ],
      },
      {
        role: 'user',
        parts: [
          { functionResponse: { name: 'fs.read', response: { output: 'ok' } } },
          { functionResponse: { name: 'fs.read', response: {} } },
        ],
      },
    ],
    tools: [
      {
        functionDeclarations: [
          { name: 'fs.read', parameters: { type: 'object', properties: { path: { type: 'string' } } } },
          { name: 'now' },
        ],
      },
    ],
    generationConfig: { maxOutputTokens: 1 },
  },
];
