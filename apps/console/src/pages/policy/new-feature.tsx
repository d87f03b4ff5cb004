import {
  canName,
  factDefinitions,
  featureDefinitions,
  type FeatureKind,
  loadPolicy,
  outcomeFactDefinitions,
  type PolicyFile,
} from '@ringfence/policy';
import { type KeyboardEvent, type ReactElement, useId, useMemo, useState } from 'react';
import { useTranslation } from 'react-i18next';
import { Button } from '../../parts/button.tsx';
import { Check, Choice, Field } from '../../parts/field.tsx';
import { type BuilderCondition, printBuilder } from './builder-condition.ts';
import { type BuilderWords, factWords, withQuotes } from './builder-words.ts';
import { noMistakes, unreadableRows } from './condition-mistakes.ts';
import { ConditionRows } from './condition-rows.tsx';
import {
  addFeature,
  definitionOf,
  featureFile,
  type FeatureField,
  featureProblems,
  type FeatureProblems,
  malformed,
  mayExclude,
  type NewFeature,
} from './write-feature.ts';

interface NewFeatureProps {
  readonly files: readonly PolicyFile[];
  /** The file to write to if the policy has no features. */
  readonly path: string;
  readonly words: BuilderWords;
  readonly onAdd: (name: string, file: PolicyFile) => void;
  readonly onClose: () => void;
}

const first: NewFeature = {
  name: '',
  kind: 'avg',
  of: 'order.amount',
  by: ['client.id'],
  over: '30d',
  option: '',
  where: '',
  excludesThis: false,
};
/** An option to begin with, by kind. */
const options: Readonly<Partial<Record<FeatureKind, string>>> = {
  percentile: '95',
  rate: '1h',
  profile: '30d',
  fraudShare: '2d',
  fraudRun: '7d',
  fraudRunAge: '7d',
  sinceFraud: '7d',
  sinceClear: '7d',
};
const windows = ['10m', '1h', '24h', '7d', '30d', '90d'];

/** Form for a new feature. It is part of the form of a rule, so Enter adds the feature and not the rule. */
export function NewFeatureFields({ files, path, words, onAdd, onClose }: NewFeatureProps): ReactElement {
  const { t } = useTranslation();
  const [feature, setFeature] = useState(first);
  const [counted, setCounted] = useState<BuilderCondition>({ joined: 'all', parts: [] });
  const [problems, setProblems] = useState<FeatureProblems>({});
  const facts = useMemo(() => factWords(words), [words]);
  const condition = withQuotes(counted, facts);
  const unreadable = unreadableRows(condition);
  const put = (part: Partial<NewFeature>): void => {
    setFeature((before) => ({ ...before, ...part }));
    setProblems({});
  };
  const add = (): void => {
    const wanted = { ...feature, name: feature.name.trim(), where: printBuilder(condition).text };
    const wrong = malformed(wanted);
    if (wrong.length > 0 || unreadable.rows.size > 0) {
      setProblems(Object.fromEntries(wrong.map((field) => [field, t(`builder.malformed.${field}`)])));
      return;
    }
    if (words.typeOf(wanted.name) !== undefined) {
      setProblems({ name: t('builder.featureTaken') });
      return;
    }
    const file = addFeature(featureFile(files, { path, text: textOf(files, path) }), wanted);
    const found = featureProblems(files, file, wanted);
    if (Object.keys(found).length > 0) setProblems(found);
    else onAdd(wanted.name, file);
  };
  const onKeyDown = (event: KeyboardEvent): void => {
    if (event.key !== 'Enter' || !(event.target instanceof HTMLInputElement)) return;
    event.preventDefault();
    add();
  };
  return (
    <fieldset className="flex min-w-0 flex-col gap-3 rounded-md border border-line-strong p-3" onKeyDown={onKeyDown}>
      <legend className="px-1 font-medium">{t('builder.feature')}</legend>
      <ComputedFields feature={feature} files={files} problems={problems} onChange={put} />
      <ConditionRows
        label={t('builder.counted')}
        none={t('builder.everyEvent')}
        condition={counted}
        words={facts}
        mistakes={counted.parts.length === 0 ? noMistakes : unreadable}
        onChange={(next) => {
          setCounted(next);
          setProblems({});
        }}
      />
      <Problem text={problems.where} />
      {mayExclude(feature.kind) ? (
        <Check
          label={t('builder.excluding')}
          hint={t('builder.excludingHint')}
          checked={feature.excludesThis}
          onChange={({ target }) => put({ excludesThis: target.checked })}
        />
      ) : null}
      <Problem text={problems.excludesThis} />
      <div className="flex justify-end gap-2">
        <Button small onClick={onClose}>
          {t('act.cancel')}
        </Button>
        <Button small look="main" onClick={add}>
          {t('builder.addFeature')}
        </Button>
      </div>
    </fieldset>
  );
}

function textOf(files: readonly PolicyFile[], path: string): string {
  return files.find((file) => file.path === path)?.text ?? '';
}

interface ComputedProps {
  readonly feature: NewFeature;
  readonly files: readonly PolicyFile[];
  readonly problems: FeatureProblems;
  readonly onChange: (part: Partial<NewFeature>) => void;
}

/** Name, function, fact, window and entity. */
function ComputedFields({ feature, files, problems, onChange }: ComputedProps): ReactElement {
  const { t } = useTranslation();
  const { kind, of, over, option } = feature;
  const definition = definitionOf(kind);
  const subjects = useMemo(() => subjectsOf(kind, files), [kind, files]);
  const id = useId();
  const mistakenBy = (field: FeatureField): object => {
    const text = problems[field];
    return text === undefined ? {} : { hint: <Problem text={text} />, 'aria-invalid': true };
  };
  return (
    <div className="grid grid-cols-1 items-start gap-3 sm:grid-cols-2 lg:grid-cols-3">
      <Field
        label={t('builder.name')}
        mono
        autoFocus
        maxLength={64}
        placeholder="clientUsualAmount30d"
        value={feature.name}
        onChange={({ target }) => onChange({ name: target.value })}
        {...mistakenBy('name')}
      />
      <Choice
        label={t('builder.function')}
        value={kind}
        options={featureDefinitions.map((one) => ({
          value: one.kind,
          label: `${t(`builder.kind.${one.kind}`)} (${one.kind})`,
        }))}
        onChange={({ target }) => onChange(kindChange(feature, target.value as FeatureKind, files))}
      />
      {definition.of === 'true' ? null : (
        <Field
          label={t('builder.featureOf')}
          mono
          list={`${id}-of`}
          value={of}
          onChange={({ target }) => onChange({ of: target.value })}
          {...mistakenBy('of')}
        />
      )}
      <Suggestions id={`${id}-of`} of={subjects} />
      {definition.option === undefined ? null : (
        <Field
          label={t(`builder.at.${definition.option}`)}
          mono
          list={definition.option === 'to' ? `${id}-of` : undefined}
          value={option}
          onChange={({ target }) => onChange({ option: target.value })}
          {...mistakenBy('option')}
        />
      )}
      {definition.span === 'none' ? null : (
        <Field
          label={t('builder.over')}
          mono
          list={`${id}-over`}
          value={over}
          onChange={({ target }) => onChange({ over: target.value })}
          {...mistakenBy('over')}
        />
      )}
      <Suggestions id={`${id}-over`} of={windows} />
      {kind === 'ratio' ? null : <ByFields by={feature.by} problem={problems.by} onChange={(by) => onChange({ by })} />}
    </div>
  );
}

/** Another kind keeps what it can: its subject if there is such a one, and the window. */
function kindChange(feature: NewFeature, kind: FeatureKind, files: readonly PolicyFile[]): Partial<NewFeature> {
  const subjects = subjectsOf(kind, files);
  const isKept = subjects.includes(feature.of) || definitionOf(kind).of === 'true';
  return { kind, option: options[kind] ?? '', of: isKept ? feature.of : (subjects[0] ?? '') };
}

/** What a feature of this kind can be about, the usual ones first. */
function subjectsOf(kind: FeatureKind, files: readonly PolicyFile[]): readonly string[] {
  const { of } = definitionOf(kind);
  if (of === 'true') return [];
  if (of === 'feature') {
    const loaded = loadPolicy(files);
    return loaded.ok ? loaded.policy.features.map(({ name }) => name) : [];
  }
  const facts = [...factDefinitions, ...outcomeFactDefinitions].filter(
    ({ type }) => of === 'value' || type === 'int' || type === 'decimal' || type === 'double' || type === 'duration',
  );
  const paths = facts.map(({ path }) => path);
  const usual = of === 'value' ? ['payee.id', 'client.id', 'device.id'] : ['order.amount'];
  return [...usual, ...paths.filter((path) => !usual.includes(path))];
}

/** Facts by which features are usually kept, with the word for what they name. */
const entities = [
  ['client.id', 'client'],
  ['device.id', 'device'],
  ['payee.id', 'payee'],
  ['session.id', 'session'],
  ['session.subnet', 'sessionSubnet'],
  ['ip.subnet', 'loginSubnet'],
  ['channelId', 'channel'],
  ['creditCard.hash', 'card'],
] as const;

interface ByProps {
  readonly by: readonly string[];
  readonly problem: string | undefined;
  readonly onChange: (by: readonly string[]) => void;
}

/** The entity: one fact, or two together. */
function ByFields({ by, problem, onChange }: ByProps): ReactElement {
  const { t } = useTranslation();
  const choices = useMemo(() => {
    const usual = entities.map(([path, word]) => ({
      value: path as string,
      label: `${t(`builder.each.${word}`)} (${path})`,
    }));
    const others = factDefinitions
      .filter((fact) => canName(fact) && ['string', 'int', 'bool'].includes(fact.type))
      .filter(({ path }) => !entities.some(([one]) => one === path))
      .map(({ path }) => ({ value: path, label: path }));
    return [...usual, ...others];
  }, [t]);
  const [one = 'client.id', other = ''] = by;
  return (
    <>
      <Choice
        label={t('builder.by')}
        value={one}
        options={choices}
        onChange={({ target }) => onChange([target.value, ...(other === '' ? [] : [other])])}
      />
      <div className="flex flex-col gap-1">
        <Choice
          label={t('builder.byAlso')}
          value={other}
          options={[{ value: '', label: t('builder.byNone') }, ...choices]}
          onChange={({ target }) => onChange([one, ...(target.value === '' ? [] : [target.value])])}
        />
        <Problem text={problem} />
      </div>
    </>
  );
}

function Suggestions({ id, of }: { readonly id: string; readonly of: readonly string[] }): ReactElement {
  return (
    <datalist id={id}>
      {of.map((one) => (
        <option key={one} value={one} />
      ))}
    </datalist>
  );
}

function Problem({ text }: { readonly text: string | undefined }): ReactElement | null {
  return text === undefined ? null : (
    <span role="alert" className="text-xs text-bad">
      {text}
    </span>
  );
}
