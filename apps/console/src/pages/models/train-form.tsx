import type { Model, PolicyFile } from '@ringfence/policy';
import { useNavigate } from '@tanstack/react-router';
import { type ReactElement, useState } from 'react';
import { useTranslation } from 'react-i18next';
import { useDoing } from '../../api/use-api.ts';
import { useWorkspaceName } from '../../api/use-workspace.ts';
import { Button } from '../../parts/button.tsx';
import { DialogEnd } from '../../parts/dialog-end.tsx';
import { Dialog } from '../../parts/dialog.tsx';
import { Choice, Field } from '../../parts/field.tsx';
import { Form } from '../../parts/form.tsx';
import { HistorySource, NoHistory } from '../policy/history-source.tsx';

interface TrainFormProps {
  readonly model: Model;
  readonly files: readonly PolicyFile[];
  readonly onClose: () => void;
}

/** As the service allows, with its defaults. */
const bounds = {
  trees: { min: 1, max: 5_000, first: 150, step: 1 },
  leaves: { min: 2, max: 255, first: 8, step: 1 },
  rate: { min: 0.001, max: 1, first: 0.05, step: 0.001 },
} as const;
type Settings = Readonly<Record<keyof typeof bounds, number>>;
const delayDays = { min: 0, max: 3_650, first: 7 } as const;
const directions = ['either', 'up', 'down'] as const;
type Direction = (typeof directions)[number];

/** Asks for the history, the delay of labels and the directions of inputs, and starts a training. */
export function TrainForm({ model, files, onClose }: TrainFormProps): ReactElement {
  const { t } = useTranslation();
  const workspace = useWorkspaceName();
  const navigate = useNavigate({ from: '/w/$workspace/policy' });
  const { mutate, isPending, error } = useDoing('startTraining', ['listTrainings']);
  const [history, setHistory] = useState<string>();
  const [delay, setDelay] = useState<number>(delayDays.first);
  const [chosen, setChosen] = useState<ReadonlyMap<string, Direction>>(new Map());
  const [settings, setSettings] = useState<Settings>({
    trees: bounds.trees.first,
    leaves: bounds.leaves.first,
    rate: bounds.rate.first,
  });
  const inputsOf = (direction: Direction): readonly string[] =>
    model.inputs.filter(({ name }) => chosen.get(name) === direction).map(({ name }) => name);
  const start = (): void => {
    const source = history === undefined ? {} : { history };
    const monotone = { up: inputsOf('up'), down: inputsOf('down') };
    const body = { model: model.name, files, ...source, delayDays: delay, ...settings, ...monotone };
    const onSuccess = ({ id }: { readonly id: number }): void => {
      onClose();
      void navigate({ search: (before) => ({ ...before, training: id }) });
    };
    mutate({ params: { workspace }, body }, { onSuccess });
  };
  return (
    <Dialog title={t('models.train', { name: model.name })} onClose={onClose}>
      <Form onSubmit={start}>
        <p className="text-sm text-soft">{t('models.trainHint')}</p>
        <HistorySource log={t('tried.wholeLog')} history={history} onChange={setHistory} />
        <NoHistory />
        <Field
          label={t('models.delay')}
          hint={t('models.delayHint')}
          type="number"
          required
          min={delayDays.min}
          max={delayDays.max}
          value={Number.isNaN(delay) ? '' : delay}
          onChange={({ target }) => setDelay(target.valueAsNumber)}
        />
        <Directions
          model={model}
          chosen={chosen}
          onChoose={(name, direction) => setChosen(new Map([...chosen, [name, direction]]))}
        />
        <TreeSettings settings={settings} onChange={setSettings} />
        <DialogEnd problem={error} onCancel={onClose}>
          <Button type="submit" look="main" busy={isPending}>
            {t('models.start')}
          </Button>
        </DialogEnd>
      </Form>
    </Dialog>
  );
}

interface TreeSettingsProps {
  readonly settings: Settings;
  readonly onChange: (settings: Settings) => void;
}

function TreeSettings({ settings, onChange }: TreeSettingsProps): ReactElement {
  const { t } = useTranslation();
  return (
    <details>
      <summary className="cursor-pointer text-sm text-soft">{t('models.more')}</summary>
      <div className="mt-2 flex gap-3">
        {(['trees', 'leaves', 'rate'] as const).map((name) => (
          <Field
            key={name}
            label={t(`models.${name}`)}
            className="w-32"
            type="number"
            required
            min={bounds[name].min}
            max={bounds[name].max}
            step={bounds[name].step}
            value={Number.isNaN(settings[name]) ? '' : settings[name]}
            onChange={({ target }) => onChange({ ...settings, [name]: target.valueAsNumber })}
          />
        ))}
      </div>
    </details>
  );
}

interface DirectionsProps {
  readonly model: Model;
  readonly chosen: ReadonlyMap<string, Direction>;
  readonly onChoose: (input: string, direction: Direction) => void;
}

/** What more of each input may do to the probability. A category has no direction. */
function Directions({ model, chosen, onChoose }: DirectionsProps): ReactElement {
  const { t } = useTranslation();
  return (
    <fieldset className="flex flex-col gap-1.5">
      <legend className="mb-1 text-xs font-medium text-soft">{t('models.moreMay')}</legend>
      {model.inputs
        .filter(({ kind }) => kind !== 'category')
        .map(({ name }) => (
          <div key={name} className="flex items-center gap-3 text-sm">
            <span className="min-w-0 grow truncate font-mono text-xs">{name}</span>
            <Choice
              bare
              label={name}
              className="w-40"
              value={chosen.get(name) ?? 'either'}
              onChange={({ target }) => onChoose(name, target.value as Direction)}
              options={directions.map((value) => ({ value, label: t(`models.${value}`) }))}
            />
          </div>
        ))}
    </fieldset>
  );
}
