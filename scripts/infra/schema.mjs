// Derives the schema of the provider hashicorp/google from the npm package
// @cdktf/provider-google, whose classes are generated from that schema:
//
//   node scripts/infra/schema.mjs FOLDER-WITH-TERRAFORM OUTPUT
//
// The output has the form of `terraform providers schema -json`, and the resources and
// data sources that the .tf files of the folder name, and no others. The package holds its
// classes as TypeScript in the source maps of its scripts. A comment before each
// attribute says whether it is required, optional or computed; a function for each class
// says which of them are blocks.
import { readFileSync, readdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

const library = join(import.meta.dirname, 'node_modules/@cdktf/provider-google');

// The types of attributes, by the method that reads them.
const types = {
  String: 'string', Number: 'number', Boolean: 'bool', List: ['list', 'string'], NumberList: ['list', 'number'],
  StringMap: ['map', 'string'], NumberMap: ['map', 'number'], BooleanMap: ['map', 'bool'], AnyMap: ['map', 'string'],
};

// source returns the TypeScript of a class of the package.
function source(folder) {
  const script = readFileSync(join(library, 'lib', folder, 'index.js'), 'utf8');
  const map = script.match(/sourceMappingURL=data:application\/json;base64,(\S+)/);
  if (!map) throw new Error(`${folder} has no source map`);
  return JSON.parse(Buffer.from(map[1], 'base64').toString()).sourcesContent.join('\n');
}

// parse returns the classes of a source, and which of their attributes are blocks.
function parse(text) {
  const classes = {};
  for (const part of text.split(/^export class /m).slice(1)) classes[part.match(/^\w+/)[0]] = part.split(/^\}/m)[0];
  return classes;
}

// nesting returns how the blocks of a class are nested, by name: list, set or struct.
function nesting(text, name) {
  const reference = name.match(/^(\w+)OutputReference$/);
  const called = reference ? reference[1][0].toLowerCase() + reference[1].slice(1) + 'ToHclTerraform' : null;
  const from = called ? text.indexOf(`export function ${called}(`) : text.indexOf('protected synthesizeHclAttributes()', text.indexOf(`export class ${name} `));
  if (from < 0) return {};
  const end = text.indexOf('// remove undefined attributes', from);
  const next = text.indexOf('\nexport ', from + 1);
  const body = text.slice(from, Math.min(...[end, next].filter((i) => i > 0), text.length));
  const found = {};
  for (const [, attribute, block, type] of body.matchAll(/^ +(\w+): \{\n[^}]*?isBlock: (true|false),\n +type: "(\w+)"/gm)) {
    if (block === 'true') found[attribute] = type;
  }
  return found;
}

// block returns the schema of a class.
function block(text, classes, name) {
  const result = { attributes: {}, block_types: {} };
  const blocks = nesting(text, name);
  const marks = [...classes[name].matchAll(/\/\/ (\w+) - computed: (\w+), optional: (\w+), required: (\w+)\n/g)];
  marks.forEach((mark, i) => {
    const [, attribute, computed, optional, required] = mark;
    const body = classes[name].slice(mark.index, marks[i + 1]?.index ?? classes[name].length);
    const inner = body.match(/ = new (\w+)\(this, "/)?.[1];
    if (blocks[attribute]) {
      if (!inner) return; // of the provider, whose blocks nothing here uses
      const single = inner.endsWith('OutputReference');
      const nested = single ? inner : element(classes, inner);
      const type = { nesting_mode: blocks[attribute] === 'struct' ? 'single' : blocks[attribute], block: block(text, classes, nested) };
      if (required === 'true') type.min_items = 1;
      if (single && type.nesting_mode !== 'single') type.max_items = 1;
      result.block_types[attribute] = type;
      return;
    }
    const flags = Object.fromEntries(Object.entries({ computed, optional, required }).filter(([, value]) => value === 'true'));
    for (const flag of Object.keys(flags)) flags[flag] = true;
    result.attributes[attribute] = { type: typeOf(classes, body, inner, attribute, name), ...flags };
  });
  return result;
}

// element returns the class of the elements of a list.
function element(classes, list) {
  return classes[list].match(/return new (\w+)\(/)[1];
}

// typeOf returns the type of an attribute that is no block, in the form of JSON.
function typeOf(classes, body, inner, attribute, name) {
  if (inner && classes[inner]) {
    const of = inner.endsWith('OutputReference') ? inner : element(classes, inner);
    const members = {};
    for (const [, member, rest] of classes[of].matchAll(/\/\/ (\w+) - computed: [^\n]*\n([^]*?)(?=\n {2}\/\/ \w+ - computed|$)/g)) {
      members[member] = typeOf(classes, rest, rest.match(/ = new (\w+)\(this, "/)?.[1], member, of);
    }
    return ['list', ['object', members]];
  }
  const map = body.match(/new cdktf\.(String|Number|Boolean|Any)Map\(this/)?.[1];
  if (map) return types[`${map}Map`];
  const nested = body.match(/new cdktf\.(String|Number)(List|Map)+\(this/);
  if (nested) return ['list', ['map', 'string']];
  const read = body.match(/this\.get(\w+)Attribute\('/)?.[1];
  if (read && types[read]) return body.includes('cdktf.Fn.tolist(') ? ['set', types[read][1]] : types[read];
  if (body.includes('interpolationForAttribute(')) return 'dynamic';
  // The provider's own attributes are only written, never read.
  const written = body.match(/private _\w+\?: ([^;]+);/)?.[1].replace(' | cdktf.IResolvable', '').trim();
  const own = { string: 'string', number: 'number', boolean: 'bool', 'string[]': ['list', 'string'], '{ [key: string]: string }': ['map', 'string'] }[written];
  if (own) return own;
  throw new Error(`the type of ${attribute} in ${name} is not known`);
}

// schema returns the schema of what one folder of the package declares.
function schema(folder, kind) {
  const text = source(folder);
  const classes = parse(text);
  const name = Object.keys(classes).find((c) => classes[c].startsWith(`${c} extends cdktf.${kind} `));
  if (!name) throw new Error(`${folder} declares no ${kind}`);
  return { version: 0, block: block(text, classes, name) };
}

const [, , terraform, output] = process.argv;
const code = readdirSync(terraform).filter((f) => f.endsWith('.tf')).map((f) => readFileSync(join(terraform, f), 'utf8')).join('\n');
const result = { provider: schema('provider', 'TerraformProvider'), resource_schemas: {}, data_source_schemas: {} };
for (const [, kind, name] of code.matchAll(/^(resource|data) "(google_\w+)"/gm)) {
  const folder = name.replaceAll('_', '-');
  if (kind === 'resource') result.resource_schemas[name] ??= schema(folder.replace(/^google-/, ''), 'TerraformResource');
  else result.data_source_schemas[name] ??= schema(`data-${folder}`, 'TerraformDataSource');
}
writeFileSync(output, JSON.stringify(result, null, 1) + '\n');
