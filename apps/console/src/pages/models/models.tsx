import { loadPolicy, type Model, type PolicyFile, type Rule, writeModel } from '@ringfence/policy';
import { useSearch } from '@tanstack/react-router';
import { BrainCircuit } from 'lucide-react';
import { Fragment, type ReactElement, useMemo, useState } from 'react';
import { useTranslation } from 'react-i18next';
import { useRight } from '../../api/use-workspace.ts';
import { useFormats } from '../../format/use-formats.ts';
import { Badge } from '../../parts/badge.tsx';
import { Button } from '../../parts/button.tsx';
import { Empty } from '../../parts/empty.tsx';
import { useNotices } from '../../parts/notices.tsx';
import { Panel } from '../../parts/panel.tsx';
import { ModeBadge } from '../policy/mode-badge.tsx';
import { Drift } from './drift.tsx';
import { RulePrecision } from './rule-precision.tsx';
import { TrainForm } from './train-form.tsx';
import { TrainingDetail } from './training-detail.tsx';
import { Trainings } from './trainings.tsx';

interface ModelsProps {
  /** Of the draft. */
  readonly files: readonly PolicyFile[];
  /** Changes files of the draft; absent where nothing may be written. */
  readonly onChange: ((files: readonly PolicyFile[]) => void) | undefined;
}

/** The models of the draft, what was trained for them, and the report of one training. */
export function Models({ files, onChange }: ModelsProps): ReactElement {
  const { t } = useTranslation();
  const notices = useNotices();
  const { training } = useSearch({ from: '/w/$workspace/policy' });
  const policy = useMemo(() => {
    const loaded = loadPolicy(files, { withTests: false });
    return loaded.ok ? loaded.policy : undefined;
  }, [files]);
  const use = (name: string, file: { readonly text: string; readonly sha256: string }): void => {
    const artifact = `models/${name}.json`;
    const written = writeModel(files, name, { artifact, sha256: file.sha256 });
    if (written === undefined) return;
    onChange?.([written, { path: artifact, text: file.text }]);
    notices.say(t('models.used'));
  };
  const models = policy?.models ?? [];
  return (
    <div className="grid grid-cols-1 items-start gap-4 xl:grid-cols-[24rem_minmax(0,1fr)]">
      <div className="flex min-w-0 flex-col gap-4">
        {models.length === 0 ? (
          <Panel>
            <Empty sign={BrainCircuit} title={t('models.none')}>
              {t('models.noneHint')}
            </Empty>
          </Panel>
        ) : null}
        {models.map((model) => (
          <ModelPanel key={model.name} model={model} files={files} rules={policy?.rules ?? []} />
        ))}
        <Trainings open={training} />
      </div>
      {training === undefined ? (
        <div className="flex min-w-0 flex-col gap-4">
          {models.map(({ name, trained }) =>
            trained === undefined ? null : (
              <Fragment key={name}>
                <RulePrecision model={name} rules={readersOf(name, policy?.rules ?? [])} />
                <Drift model={name} sha256={trained.sha256} />
              </Fragment>
            ),
          )}
        </div>
      ) : (
        <TrainingDetail
          key={training}
          id={training}
          onUse={onChange === undefined ? undefined : use}
          known={models.map(({ name }) => name)}
        />
      )}
    </div>
  );
}

function readersOf(model: string, rules: readonly Rule[]): readonly Rule[] {
  return rules.filter(({ reads }) => reads.some(({ path }) => path.startsWith(`model.${model}.`)));
}

interface ModelPanelProps {
  readonly model: Model;
  readonly files: readonly PolicyFile[];
  readonly rules: readonly Rule[];
}

function ModelPanel({ model, files, rules }: ModelPanelProps): ReactElement {
  const { t } = useTranslation();
  const formats = useFormats();
  const mayTrain = useRight('write');
  const [isAsked, setAsked] = useState(false);
  const { name, inputs, trained, retrain } = model;
  const readers = readersOf(name, rules);
  const bytes = files.find(({ path }) => path === trained?.artifact)?.text.length ?? 0;
  return (
    <Panel
      title={<span className="font-mono">{name}</span>}
      tools={
        mayTrain ? (
          <Button small onClick={() => setAsked(true)}>
            {t('models.start')}
          </Button>
        ) : null
      }
    >
      <div className="flex flex-col gap-3 text-sm">
        <p className="flex flex-wrap gap-1.5">
          {trained === undefined ? (
            <Badge tone="warn">{t('models.untrained')}</Badge>
          ) : (
            <Badge>
              {t('models.trained', {
                trees: formats.number(trained.content.trees.length),
                kilobytes: formats.number(Math.ceil(bytes / 1_000)),
              })}
            </Badge>
          )}
          {trained === undefined ? null : (
            <Badge title={trained.sha256}>
              <span className="font-mono">{trained.sha256.slice(0, 12)}</span>
            </Badge>
          )}
          {retrain === undefined ? null : <Badge tone="cool">{t('models.retrainWeekly')}</Badge>}
        </p>
        <section>
          <h3 className="eyebrow mb-1">{t('models.inputs')}</h3>
          <dl className="flex flex-col gap-1">
            {inputs.map((input) => (
              <div key={input.name}>
                <dt className="font-medium">{input.name}</dt>
                <dd className="font-mono text-xs break-words text-soft">{input.text}</dd>
              </div>
            ))}
          </dl>
        </section>
        <section>
          <h3 className="eyebrow mb-1">{t('models.rules')}</h3>
          {readers.length === 0 ? <p className="text-soft">{t('models.noRules')}</p> : null}
          <ul className="flex flex-col gap-1">
            {readers.map((rule) => (
              <li key={rule.reason} className="flex items-baseline gap-2">
                <span className="font-mono text-xs">{rule.reason}</span>
                <span className="min-w-0 grow">{rule.name}</span>
                <ModeBadge mode={rule.mode} />
              </li>
            ))}
          </ul>
        </section>
      </div>
      {isAsked ? <TrainForm model={model} files={files} onClose={() => setAsked(false)} /> : null}
    </Panel>
  );
}
