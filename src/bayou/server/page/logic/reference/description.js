/** An OpenAPI document in parts that a page can show: addresses, forms, and types in words. */

const FORMS = "#/components/schemas/";
const PLAIN = {
  string: "text",
  integer: "whole number",
  number: "number",
  boolean: "true or false",
  null: "null",
  object: "object",
  array: "list",
};

const formName = (schema) => (schema.$ref?.startsWith(FORMS) ? schema.$ref.slice(FORMS.length) : null);

/** All addresses with their methods, in the order of the document. */
export function operationsOf(api) {
  return Object.entries(api.paths).flatMap(([path, methods]) =>
    Object.entries(methods).map(([method, facts]) => operationOf(api, path, method, facts)),
  );
}

function operationOf(api, path, method, facts) {
  const answers = Object.entries(facts.responses).map(([status, given]) => {
    const { description, content = {} } = given.$ref ? api.components.responses[status] : given;
    return { status, description, contents: contentsOf(content) };
  });
  return {
    id: facts.operationId,
    method: method.toUpperCase(),
    path,
    summary: facts.summary,
    isOpen: facts.security?.length === 0,
    parameters: facts.parameters ?? [],
    bodies: contentsOf(facts.requestBody?.content ?? {}),
    answers: answers.filter(({ status }) => status < "400"),
    problems: answers.filter(({ status }) => status >= "400"),
  };
}

const contentsOf = (content) => Object.entries(content).map(([type, { schema = {} }]) => ({ type, schema }));

/** The forms of requests and answers by name: what they are for, and their members. */
export function formsOf(api) {
  return Object.entries(api.components.schemas).map(([name, schema]) => ({
    name,
    description: schema.description ?? "",
    members: membersOf(schema),
    words: schema.properties ? null : typeWords(schema),
  }));
}

/** The members of a form: names, types, whether they must be there, and what stands for them if not. */
export function membersOf(schema) {
  const required = new Set(schema.required ?? []);
  return Object.entries(schema.properties ?? {}).map(([name, member]) => ({
    name,
    words: typeWords(member),
    required: required.has(name),
    default: "default" in member ? JSON.stringify(member.default) : null,
    description: member.description ?? "",
  }));
}

/** A type as a list of words; a word that is the name of a form is `{form: name}`. */
export function typeWords(schema) {
  const name = formName(schema);
  if (name !== null) return [{ form: name }];
  if (schema.enum) return [`one of ${schema.enum.map((value) => JSON.stringify(value)).join(", ")}`];
  if ("const" in schema) return [JSON.stringify(schema.const)];
  const choices = schema.anyOf ?? schema.oneOf;
  if (choices) return joined(choices.map(typeWords), " or ");
  if (Array.isArray(schema.type)) return joined(schema.type.map((type) => [PLAIN[type]]), " or ");
  if (schema.type === "array") return listWords(schema);
  const bounds = boundWords(schema);
  return [`${PLAIN[schema.type] ?? "anything"}${bounds}`];
}

function listWords(schema) {
  if (schema.prefixItems) return ["(", ...joined(schema.prefixItems.map(typeWords), ", "), ")"];
  return schema.items ? [`list${sizeWords(schema)} of `, ...typeWords(schema.items)] : ["list"];
}

function sizeWords({ minItems, maxItems }) {
  const least = minItems > 0 ? ` of at least ${minItems}` : "";
  return maxItems === undefined ? least : `${least} of at most ${maxItems}`;
}

function boundWords(schema) {
  const { minimum, maximum, exclusiveMinimum } = schema;
  return [
    minimum === undefined ? "" : ` from ${minimum}`,
    exclusiveMinimum === undefined ? "" : ` above ${exclusiveMinimum}`,
    maximum === undefined ? "" : ` to ${maximum}`,
  ].join("");
}

const joined = (lists, sign) => lists.flatMap((words, place) => (place === 0 ? words : [sign, ...words]));

/** The names of all forms in a list of words. */
const formsIn = (words) => words.filter((word) => word.form).map((word) => word.form);

/** Whether every word that was typed is in an address or a form, in its text or in the names of its members. */
export function found(typed, { method = "", path = "", summary = "", name = "", ...more }) {
  const contents = [...(more.bodies ?? []), ...(more.answers ?? []).flatMap(({ contents }) => contents)];
  const texts = [
    ...[method, path, summary, name, more.description ?? ""],
    ...contents.flatMap(({ schema }) => formsIn(typeWords(schema))),
    ...(more.members ?? []).flatMap((member) => [member.name, ...formsIn(member.words)]),
  ];
  const text = texts.join("\n").toLowerCase();
  return typed
    .toLowerCase()
    .split(/\s+/)
    .every((word) => text.includes(word));
}
