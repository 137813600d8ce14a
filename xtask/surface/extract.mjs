// Reads which names the SDKs accept and give out from their published type definitions, and prints a file of rules/ai-sdk/surface/.
//
//   node xtask/surface/extract.mjs TYPESCRIPT PACKAGE DIR… > rules/ai-sdk/surface/ai.toml
//
// TYPESCRIPT is the path of an installed TypeScript, PACKAGE the package whose versions are meant, each DIR a folder in whose
// node_modules one version of it is installed. The more versions, the finer the intervals: between two of them a name counts
// as present from right after the last that lacks it, so that nothing is called missing that was not seen to be.
import fs from 'node:fs';
import { createRequire } from 'node:module';
import path from 'node:path';

const [, , typescript, packageName, ...folders] = process.argv;
const ts = createRequire(import.meta.url)(path.resolve(typescript));

// Where a shape is read: an export, then parameters, properties, results; after `+` what is accepted besides. `entry:` leads
// to another entry point of the package.
const GENERATE = ['+', 'generateText(0)', 'streamText(0)'];
const SHAPES = {
  ai: {
    options: {
      GenerateTextOptions: ['generateText(0)'],
      StreamTextOptions: ['streamText(0)'],
      GenerateObjectOptions: ['generateObject(0)'],
      StreamObjectOptions: ['streamObject(0)'],
      StreamUIOptions: ['ai/rsc:streamUI(0)'],
      EmbedOptions: ['embed(0)'],
      EmbedManyOptions: ['embedMany(0)'],
      RerankOptions: ['rerank(0)'],
      GenerateImageOptions: ['generateImage(0)', 'experimental_generateImage(0)'],
      // Agents hand on what they do not know to generateText and streamText.
      AgentSettings: ['new ToolLoopAgent(0)', 'new Experimental_Agent(0)', ...GENERATE],
      AgentCallOptions: ['generate', 'stream'].flatMap((method) => [`new ToolLoopAgent.${method}(0)`, `new Experimental_Agent.${method}(0)`]).concat(GENERATE),
      Tool: ['tool(0)', 'dynamicTool(0)', 'type Tool', 'type CoreTool'],
      PrepareStepResult: ['generateText(0).prepareStep()', 'generateText(0).experimental_prepareStep()'],
      UIMessageStreamOptions: ['createUIMessageStream(0)'],
      UIMessageStreamResponseOptions: ['streamText().toUIMessageStreamResponse(0)', 'streamText().pipeUIMessageStreamToResponse(1)'],
      ToUIMessageStreamOptions: ['streamText().toUIMessageStream(0)'],
      LegacyUseChatOptions: ['ai/react:useChat(0)'],
    },
    properties: {
      OutputNamespace: ['Output'],
      PrepareStepEvent: ['generateText(0).prepareStep(0)', 'generateText(0).experimental_prepareStep(0)'],
      ToolExecutionOptions: ['type ToolExecutionOptions', 'type ToolCallOptions', 'tool(0).execute(1)'],
      GenerateTextResult: ['generateText()'],
      StreamTextResult: ['streamText()'],
      GenerateObjectResult: ['generateObject()'],
      StreamObjectResult: ['streamObject()'],
      EmbedResult: ['embed()'],
      EmbedManyResult: ['embedMany()'],
      Step: ['generateText().steps[]', 'generateText(0).onStepFinish(0)'],
      FinishEvent: ['streamText(0).onFinish(0)', 'generateText(0).onFinish(0)', 'generateText(0).onEnd(0)'],
      ResponseMetadata: ['generateText().response'],
      StepResponseMetadata: ['generateText().steps[].response'],
      Usage: ['generateText().usage'],
      ToolCall: ['toolCalls', 'staticToolCalls', 'dynamicToolCalls'].map((list) => `generateText().${list}[]`),
      ToolResult: ['toolResults', 'staticToolResults', 'dynamicToolResults'].map((list) => `generateText().${list}[]`),
      StreamPart: ['streamText().fullStream<>'],
    },
  },
  '@ai-sdk/react': {
    options: { UseChatOptions: ['useChat(0)'] },
    properties: { UseChatHelpers: ['useChat()'] },
  },
}[packageName];

function manifest(folder) {
  return JSON.parse(fs.readFileSync(path.join(folder, 'node_modules', packageName, 'package.json'), 'utf8'));
}

function definitions(folder) {
  const found = {};
  const own = manifest(folder);
  const entries = own.exports ? Object.entries(own.exports) : [['.', { types: own.types }]];
  for (const [entry, target] of entries) {
    const types = target?.types ?? target?.import?.types;
    if (typeof types === 'string' && !entry.includes('*') && !entry.endsWith('.json')) {
      found[entry === '.' ? packageName : `${packageName}${entry.slice(1)}`] =
        path.join(folder, 'node_modules', packageName, types);
    }
  }
  if (!found[packageName]) found[packageName] = path.join(folder, 'node_modules', packageName, own.types);
  return found;
}

function inspect(folder) {
  const files = definitions(folder);
  const program = ts.createProgram(Object.values(files), {
    target: ts.ScriptTarget.ES2022,
    module: ts.ModuleKind.ESNext,
    moduleResolution: ts.ModuleResolutionKind.Bundler,
    strict: true,
    skipLibCheck: true,
    noEmit: true,
    types: [],
  });
  const checker = program.getTypeChecker();
  const exports = {};
  for (const [entry, file] of Object.entries(files)) {
    const source = program.getSourceFile(file);
    const symbol = source && checker.getSymbolAtLocation(source);
    if (!symbol) continue;
    exports[entry] = checker.getExportsOfModule(symbol).map((each) => each.name);
    exports[`${entry}#values`] = checker
      .getExportsOfModule(symbol)
      .filter((each) => resolved(each).flags & ts.SymbolFlags.Value)
      .map((each) => each.name);
  }

  function resolved(symbol) {
    return symbol.flags & ts.SymbolFlags.Alias ? checker.getAliasedSymbol(symbol) : symbol;
  }

  function named(entry, name) {
    const source = files[entry] && program.getSourceFile(files[entry]);
    const symbol = source && checker.getSymbolAtLocation(source);
    return symbol && checker.getExportsOfModule(symbol).find((each) => each.name === name);
  }

  /** Every alternative that a type can be, with promises and generics taken away. */
  function alternatives(type, into = new Set(), seen = new Set()) {
    if (!type || seen.has(type) || seen.size > 300) return into;
    seen.add(type);
    const again = (other) => alternatives(other, into, seen);
    if (type.isUnion()) type.types.forEach(again);
    else if (type.flags & ts.TypeFlags.Conditional) {
      again(checker.getBaseConstraintOfType(type));
      const { node } = type.root;
      for (const branch of [node.trueType, node.falseType]) again(checker.getTypeFromTypeNode(branch));
    } else if (type.flags & (ts.TypeFlags.TypeParameter | ts.TypeFlags.IndexedAccess | ts.TypeFlags.Substitution)) {
      again(checker.getBaseConstraintOfType(type));
    } else {
      const name = type.symbol?.name ?? type.aliasSymbol?.name;
      if (['Promise', 'PromiseLike'].includes(name)) again(checker.getTypeArguments(type)[0]);
      else {
        into.add(type);
        if (type.isIntersection()) type.types.forEach(again);
      }
    }
    return into;
  }

  function signatures(type, isNew) {
    const list = [];
    for (const each of alternatives(type)) list.push(...(isNew ? each.getConstructSignatures() : each.getCallSignatures()));
    return list;
  }

  function property(type, name) {
    const found = [];
    for (const each of alternatives(type)) {
      const symbol = each.getProperty(name);
      if (symbol) found.push(checker.getTypeOfSymbol(symbol));
    }
    return found;
  }

  /** The types that a path such as `new Agent.generate(0)` or `f().steps[]` leads to. */
  function follow(text) {
    const [, entry, below] = /^(?:(\S+):)?(.*)$/.exec(text);
    const head = /^(new |type )?(\w+)/.exec(below);
    const symbol = named(entry ?? packageName, head[2]);
    if (!symbol) return [];
    let types;
    if (head[1] === 'type ') types = [checker.getDeclaredTypeOfSymbol(resolved(symbol))];
    else types = [checker.getTypeOfSymbol(resolved(symbol))];
    let rest = below.slice(head[0].length);
    if (head[1] === 'new ' && !/^\(\d\)/.test(rest)) types = types.flatMap((t) => signatures(t, true).map((s) => s.getReturnType()));
    let isNew = head[1] === 'new ' && /^\(\d\)/.test(rest);
    while (rest) {
      const step = /^(\((\d?)\)|\.(\w+)|\[\]|<>)/.exec(rest);
      rest = rest.slice(step[0].length);
      if (step[3]) types = types.flatMap((type) => property(type, step[3]));
      else if (step[0] === '[]') {
        types = types.flatMap((type) => [...alternatives(type)].map((t) => checker.getIndexTypeOfType(t, ts.IndexKind.Number)));
      } else if (step[0] === '<>') {
        const references = types.flatMap((type) => [...alternatives(type)]).filter((t) => t.objectFlags & ts.ObjectFlags.Reference);
        types = references.flatMap((type) => checker.getTypeArguments(type).slice(0, 1));
      } else if (step[2]) {
        types = types.flatMap((type) =>
          signatures(type, isNew).flatMap((s) => {
            const parameter = s.getParameters()[Number(step[2])];
            return parameter ? [checker.getTypeOfSymbol(parameter)] : [];
          }),
        );
        isNew = false;
      } else types = types.flatMap((type) => signatures(type, false).map((s) => s.getReturnType()));
      types = types.filter(Boolean);
    }
    return types;
  }

  const shapes = {};
  for (const [shape, paths] of Object.values(SHAPES).flatMap(Object.entries)) {
    const names = new Set();
    for (const each of paths) {
      // What is accepted besides is no sign that the thing itself exists.
      if (each === '+') {
        if (names.size === 0) break;
        continue;
      }
      for (const type of follow(each)) {
        for (const alternative of alternatives(type)) {
          if (alternative.flags & ts.TypeFlags.Object || alternative.isIntersection()) {
            if (checker.isArrayType(alternative)) continue;
            checker.getPropertiesOfType(alternative).forEach((member) => names.add(member.name));
          }
        }
      }
    }
    const ordinary = [...names].filter((name) => /^[A-Za-z]\w*$/.test(name) || name === '_internal');
    if (ordinary.length) shapes[shape] = ordinary;
  }
  return { version: manifest(folder).version, exports, shapes };
}

const compare = (a, b) => a[0] - b[0] || a[1] - b[1] || a[2] - b[2];
const numbers = (version) => version.split('.').map(Number);
const seen = folders.map(inspect).sort((a, b) => compare(numbers(a.version), numbers(b.version)));

/** The interval in which something present in `has[i]` of the seen versions is present. */
function interval(has) {
  const parts = [];
  for (let i = 0; i < has.length; i++) {
    if (!has[i]) continue;
    let low = '';
    if (i > 0) {
      const [before, own] = [numbers(seen[i - 1].version), numbers(seen[i].version)];
      low = before[0] === own[0] ? `>=${before[0]}.${before[1]}.${before[2] + 1}` : `>=${own[0]}.0.0`;
    }
    while (i < has.length && has[i]) i++;
    const high = i < has.length ? `<${seen[i].version}` : '';
    parts.push([low, high].filter(Boolean).join(' ') || '*');
  }
  return parts.join(' || ');
}

function table(title, lists) {
  const known = lists.map(Boolean);
  const names = [...new Set(lists.flatMap((list) => list ?? []))].sort();
  const groups = new Map();
  for (const name of names) {
    // Where the shape itself is unknown, nothing is missing from it.
    const key = interval(lists.map((list) => list?.includes(name) ?? false));
    groups.set(key, [...(groups.get(key) ?? []), name]);
  }
  const lines = [`\n[${title}]`, `known = ${JSON.stringify(interval(known))}`];
  for (const [key, group] of [...groups].sort()) lines.push(`${JSON.stringify(key)} = ${JSON.stringify(group.join(' '))}`);
  return lines.join('\n');
}

console.log(`# Generated by xtask/surface/extract.mjs from the type definitions of ${packageName} ${seen.map((each) => each.version).join(', ')}.`);
console.log(`package = ${JSON.stringify(packageName)}`);
const entries = [...new Set(seen.flatMap((each) => Object.keys(each.exports)))].filter((entry) => !/#values$|\/internal$/.test(entry)).sort();
for (const entry of entries) {
  console.log(table(`exports.${JSON.stringify(entry)}`, seen.map((each) => each.exports[entry])));
  const values = new Set(seen.flatMap((each) => each.exports[`${entry}#values`] ?? []));
  const types = [...new Set(seen.flatMap((each) => each.exports[entry] ?? []))].filter((name) => !values.has(name)).sort();
  console.log(`types = ${JSON.stringify(types.join(' '))}`);
}
for (const [kind, shapes] of Object.entries(SHAPES)) {
  for (const shape of Object.keys(shapes)) {
    if (seen.some((each) => each.shapes[shape])) console.log(table(`${kind}.${shape}`, seen.map((each) => each.shapes[shape])));
  }
}
