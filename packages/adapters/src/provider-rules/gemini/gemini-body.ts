import { type Fields, fieldsOf, listOf, stringOf } from '../json-fields.ts';

/** A part of a turn. */
export interface GeminiPart {
  readonly fields: Fields;
  readonly path: string;
}

/** A turn of a body: one of its contents. No role counts as the user's, as the API has it. */
export interface GeminiTurn {
  readonly role: string;
  readonly parts: readonly GeminiPart[];
  readonly path: string;
}

/** Fields that carry what a part is; a part has one of them. */
const dataFields = [
  'text',
  'inlineData',
  'inline_data',
  'fileData',
  'file_data',
  'functionCall',
  'function_call',
  'functionResponse',
  'function_response',
  'executableCode',
  'codeExecutionResult',
];

/** The turns of a body, in order. */
export function turnsOf(body: unknown): readonly GeminiTurn[] {
  const { contents } = fieldsOf(body);
  return listOf(contents).map((content, index) => {
    const { role, parts } = fieldsOf(content);
    const path = `contents[${index}]`;
    return { role: stringOf(role) || 'user', parts: partsAt(parts, path), path };
  });
}

/** The parts of the system instruction. */
export function systemPartsOf(body: unknown): readonly GeminiPart[] {
  const { systemInstruction, system_instruction } = fieldsOf(body);
  const { parts } = fieldsOf(systemInstruction ?? system_instruction);
  return partsAt(parts, 'systemInstruction');
}

/** All parts of all turns. */
export function partsOf(body: unknown): readonly GeminiPart[] {
  return turnsOf(body).flatMap(({ parts }) => parts);
}

/** The fields that say what a part is, of those that it has. */
export function dataOf({ fields }: GeminiPart): readonly string[] {
  return dataFields.filter((field) => fields[field] !== undefined && fields[field] !== null);
}

/** The call in a part, or nothing. */
export function callOf({ fields: { functionCall, function_call } }: GeminiPart): Fields | undefined {
  const call = functionCall ?? function_call;
  return call === undefined ? undefined : fieldsOf(call);
}

/** The response in a part, or nothing. */
export function responseOf({ fields: { functionResponse, function_response } }: GeminiPart): Fields | undefined {
  const response = functionResponse ?? function_response;
  return response === undefined ? undefined : fieldsOf(response);
}

/** The parts of a turn that call. */
export function callingParts(turn: GeminiTurn | undefined): readonly GeminiPart[] {
  return (turn?.parts ?? []).filter((part) => callOf(part) !== undefined);
}

/** The parts of a turn that answer calls. */
export function respondingParts(turn: GeminiTurn | undefined): readonly GeminiPart[] {
  return (turn?.parts ?? []).filter((part) => responseOf(part) !== undefined);
}

/** The functions that are declared. */
export function declarationsOf(body: unknown): readonly GeminiPart[] {
  const { tools } = fieldsOf(body);
  return listOf(tools).flatMap((tool, index) => {
    const { functionDeclarations, function_declarations } = fieldsOf(tool);
    return listOf(functionDeclarations ?? function_declarations).map((declaration, at) => ({
      fields: fieldsOf(declaration),
      path: `tools[${index}].functionDeclarations[${at}]`,
    }));
  });
}

function partsAt(parts: unknown, path: string): readonly GeminiPart[] {
  return listOf(parts).map((part, index) => ({ fields: fieldsOf(part), path: `${path}.parts[${index}]` }));
}
