import type { PolicyFile, Rule } from '@ringfence/policy';
import type { ReactElement } from 'react';
import { useTranslation } from 'react-i18next';
import { Choice, Field } from '../../parts/field.tsx';
import { fileNameMistake } from './new-file-name.ts';
import { policyTexts } from '../../policy/policy-texts.ts';

/** What identifies a new rule, and where it is written. */
export interface Named {
  readonly name: string;
  /** Absent: a free number. */
  readonly reason: number | undefined;
  /** A file of the policy. */
  readonly path: string;
  /** The name of a new file, if the rule goes into one. */
  readonly fresh: string | undefined;
}

interface NamedMistakes {
  readonly name?: 'nameTaken';
  readonly reason?: 'numberTaken';
  readonly file?: 'form' | 'taken';
}

interface Known {
  readonly rules: readonly Rule[];
  readonly files: readonly PolicyFile[];
}

export function mistakesOfName({ name, reason, fresh }: Named, { rules, files }: Known): NamedMistakes {
  const file = fresh === undefined ? undefined : fileNameMistake(fresh, files);
  return {
    ...(rules.some((rule) => rule.name === name.trim()) ? { name: 'nameTaken' } : {}),
    ...(rules.some((rule) => rule.reason === reason) ? { reason: 'numberTaken' } : {}),
    ...(file === undefined ? {} : { file }),
  };
}

/** Files that the bank wrote itself. */
function ownFiles(files: readonly PolicyFile[]): readonly PolicyFile[] {
  return policyTexts(files).filter(({ text }) => !/^pack:/m.test(text));
}

/** The file that is offered first. */
export function firstFile(files: readonly PolicyFile[]): string {
  const own = ownFiles(files);
  return (own.find(({ text }) => /^rules:/m.test(text)) ?? own[0])?.path ?? 'rules.yaml';
}

/** An unused number after those of its file. */
export function freeReason(rules: readonly Rule[], path: string): number {
  const taken = new Set(rules.map(({ reason }) => reason));
  const ofFile = rules.filter(({ file }) => file === path);
  let reason = Math.max(0, ...(ofFile.length === 0 ? rules : ofFile).map((one) => one.reason)) + 1;
  while (taken.has(reason)) reason++;
  return reason;
}

interface NamedFieldsProps {
  readonly named: Named;
  /** The chosen or free number. */
  readonly reason: number;
  readonly files: readonly PolicyFile[];
  readonly mistakes: NamedMistakes;
  readonly onChange: (named: Named) => void;
}

/** The value of the choice of a new file: no path of a policy is empty. */
const newFile = '';

/** Name, number and file of a new rule. */
export function NamedFields({ named, reason, files, mistakes, onChange }: NamedFieldsProps): ReactElement {
  const { t } = useTranslation();
  const { name, path, fresh } = named;
  const options = [
    ...ownFiles(files).map((one) => ({ value: one.path, label: one.path })),
    { value: newFile, label: t('builder.newFile') },
  ];
  const choose = (value: string): void =>
    onChange(value === newFile ? { ...named, fresh: '' } : { ...named, path: value, fresh: undefined });
  return (
    <div className="flex flex-wrap items-start gap-3">
      <Field
        label={t('policy.part.name')}
        className="min-w-56 grow"
        required
        value={name}
        onChange={({ target }) => onChange({ ...named, name: target.value })}
        {...mistaken(mistakes.name && t(`builder.${mistakes.name}`))}
      />
      <Field
        label={t('policy.number')}
        title={t('policy.numberHint')}
        className="w-28"
        type="number"
        min={1}
        required
        value={Number.isNaN(reason) ? '' : reason}
        onChange={({ target }) => onChange({ ...named, reason: target.valueAsNumber })}
        {...mistaken(mistakes.reason && t(`builder.${mistakes.reason}`))}
      />
      <Choice
        label={t('policy.file')}
        className="w-48"
        value={fresh === undefined ? path : newFile}
        onChange={({ target }) => choose(target.value)}
        options={options}
      />
      {fresh === undefined ? null : (
        <Field
          label={t('builder.newFileName')}
          mono
          className="w-56"
          required
          placeholder="mules.yaml"
          value={fresh}
          onChange={({ target }) => onChange({ ...named, fresh: target.value.trim() })}
          {...mistaken(fresh === '' ? undefined : mistakes.file && t(`builder.fileMistake.${mistakes.file}`))}
        />
      )}
    </div>
  );
}

/** Attributes of a field with an error. */
function mistaken(text: string | undefined): object {
  return text === undefined ? {} : { hint: <span className="text-bad">{text}</span>, 'aria-invalid': true };
}
