import type { PolicyFile } from '@ringfence/policy';
import { isMap, isScalar, isSeq, parseDocument, Scalar } from 'yaml';

/** The file with another condition in one of its rules; all else stays as it was written, comments among it. */
export function writeCondition(file: PolicyFile, reason: number, condition: string): PolicyFile {
  const document = parseDocument(file.text);
  const rules = document.get('rules');
  if (!isSeq(rules)) return file;
  const rule = rules.items.find((item) => isMap(item) && item.get('reason') === reason);
  if (!isMap(rule)) return file;
  const when = rule.get('when', true);
  const scalar = new Scalar(condition);
  // A condition that begins with a quote or `!` would be something else to YAML.
  if (/^["'!]/.test(condition)) scalar.type = Scalar.QUOTE_DOUBLE;
  if (isScalar(when) && typeof when.comment === 'string') scalar.comment = when.comment;
  rule.set('when', scalar);
  return { path: file.path, text: document.toString({ lineWidth: 0, flowCollectionPadding: true }) };
}
