// Converts zod 3 types to JSON Schema, from their definitions. Throws for types the model cannot send (functions,
// symbols, promises).

type Zod3 = { _def: Record<string, any>; description?: string };
type Schema = Record<string, unknown>;

/** How deep types may be nested. */
const MAX_DEPTH = 50;

export function zod3ToJsonSchema(shape: Record<string, Zod3>): Schema {
  return objectSchema(shape, 0);
}

function convert(type: Zod3, depth: number): Schema {
  if (depth > MAX_DEPTH) throw new Error(`types are nested more than ${MAX_DEPTH} levels deep, or contain themselves`);
  const schema = byKind(type, depth);
  return typeof type.description === "string" ? { ...schema, description: type.description } : schema;
}

function byKind({ _def: def }: Zod3, depth: number): Schema {
  const inner = (type: Zod3) => convert(type, depth + 1);
  switch (def["typeName"]) {
    case "ZodString":
      return { type: "string", ...stringChecks(def["checks"] ?? []) };
    case "ZodNumber":
      return numberSchema(def["checks"] ?? []);
    case "ZodBigInt":
      return { type: "integer" };
    case "ZodBoolean":
      return { type: "boolean" };
    case "ZodDate":
      return { type: "string", format: "date-time" };
    case "ZodNull":
      return { type: "null" };
    case "ZodAny":
    case "ZodUnknown":
      return {};
    case "ZodNever":
      return { not: {} };
    case "ZodLiteral":
      return { const: def["value"] };
    case "ZodEnum":
      return { type: "string", enum: def["values"] };
    case "ZodNativeEnum":
      return { enum: enumValues(def["values"]) };
    case "ZodArray":
      return {
        type: "array",
        items: inner(def["type"]),
        ...bound("minItems", def["exactLength"] ?? def["minLength"]),
        ...bound("maxItems", def["exactLength"] ?? def["maxLength"]),
      };
    case "ZodSet":
      return {
        type: "array",
        uniqueItems: true,
        items: inner(def["valueType"]),
        ...bound("minItems", def["minSize"]),
        ...bound("maxItems", def["maxSize"]),
      };
    case "ZodTuple":
      return {
        type: "array",
        items: def["items"].map(inner),
        minItems: def["items"].length,
        ...(def["rest"] ? { additionalItems: inner(def["rest"]) } : { maxItems: def["items"].length }),
      };
    case "ZodObject":
      return { ...objectSchema(def["shape"](), depth + 1), ...extraKeys(def, depth) };
    case "ZodRecord":
      return { type: "object", additionalProperties: inner(def["valueType"]) };
    case "ZodUnion":
      return { anyOf: def["options"].map(inner) };
    case "ZodDiscriminatedUnion":
      return { anyOf: [...def["options"].values()].map(inner) };
    case "ZodIntersection":
      return { allOf: [inner(def["left"]), inner(def["right"])] };
    case "ZodNullable":
      return { anyOf: [inner(def["innerType"]), { type: "null" }] };
    case "ZodDefault":
      return { ...inner(def["innerType"]), default: def["defaultValue"]() };
    case "ZodOptional":
    case "ZodCatch":
    case "ZodReadonly":
      return inner(def["innerType"]);
    case "ZodBranded":
      return inner(def["type"]);
    case "ZodEffects":
      return inner(def["schema"]);
    case "ZodPipeline":
      return inner(def["in"]);
    case "ZodLazy":
      return inner(def["getter"]());
    default:
      throw new Error(`${String(def["typeName"])} has no JSON Schema`);
  }
}

function objectSchema(shape: Record<string, Zod3>, depth: number): Schema {
  const properties = Object.fromEntries(Object.entries(shape).map(([name, type]) => [name, convert(type, depth + 1)]));
  const required = Object.keys(shape).filter((name) => !mayBeLeftOut(shape[name]!));
  return { type: "object", properties, ...(required.length === 0 ? {} : { required }) };
}

function extraKeys(def: Record<string, any>, depth: number): Schema {
  if (def["unknownKeys"] === "strict") return { additionalProperties: false };
  const catchall = def["catchall"];
  const isOpen = catchall === undefined || catchall._def.typeName === "ZodNever";
  return isOpen ? {} : { additionalProperties: convert(catchall, depth + 1) };
}

function mayBeLeftOut({ _def: def }: Zod3): boolean {
  switch (def["typeName"]) {
    case "ZodOptional":
    case "ZodDefault":
    case "ZodCatch":
    case "ZodAny":
    case "ZodUnknown":
      return true;
    case "ZodNullable":
    case "ZodReadonly":
      return mayBeLeftOut(def["innerType"]);
    case "ZodBranded":
      return mayBeLeftOut(def["type"]);
    case "ZodEffects":
      return mayBeLeftOut(def["schema"]);
    case "ZodPipeline":
      return mayBeLeftOut(def["in"]);
    default:
      return false;
  }
}

type Check = { kind: string; value?: any; inclusive?: boolean; regex?: RegExp };

const FORMATS: Readonly<Record<string, string>> = {
  email: "email",
  url: "uri",
  uuid: "uuid",
  datetime: "date-time",
  date: "date",
  time: "time",
  duration: "duration",
};

function stringChecks(checks: readonly Check[]): Schema {
  const schema: Schema = {};
  for (const { kind, value, regex } of checks) {
    if (kind === "min" || kind === "length") schema["minLength"] = value;
    if (kind === "max" || kind === "length") schema["maxLength"] = value;
    if (kind === "regex") schema["pattern"] = regex!.source;
    if (FORMATS[kind] !== undefined) schema["format"] = FORMATS[kind];
  }
  return schema;
}

function numberSchema(checks: readonly Check[]): Schema {
  const schema: Schema = { type: "number" };
  for (const { kind, value, inclusive } of checks) {
    if (kind === "int") schema["type"] = "integer";
    if (kind === "min") schema[inclusive ? "minimum" : "exclusiveMinimum"] = value;
    if (kind === "max") schema[inclusive ? "maximum" : "exclusiveMaximum"] = value;
    if (kind === "multipleOf") schema["multipleOf"] = value;
  }
  return schema;
}

const bound = (name: string, limit: { value: number } | null | undefined): Schema =>
  limit === null || limit === undefined ? {} : { [name]: limit.value };

/** TypeScript's numeric enums also map numbers back to names; those are not values. */
function enumValues(values: Record<string, string | number>): (string | number)[] {
  return Object.entries(values).flatMap(([name, value]) =>
    typeof values[value] === "number" && values[value] === Number(name) ? [] : [value],
  );
}
