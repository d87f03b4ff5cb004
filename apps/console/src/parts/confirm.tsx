import type { ReactElement, ReactNode } from 'react';
import { useTranslation } from 'react-i18next';
import type { ApiProblem } from '../api/api-problem.ts';
import { Button } from './button.tsx';
import { Dialog } from './dialog.tsx';
import { ProblemNote } from './problem-note.tsx';

interface ConfirmProps {
  readonly title: string;
  readonly act: string;
  readonly danger?: boolean;
  readonly busy: boolean;
  readonly problem: ApiProblem | null;
  readonly onConfirm: () => void;
  readonly onClose: () => void;
  readonly children: ReactNode;
}

/** Asks before something that cannot be taken back. */
export function Confirm(props: ConfirmProps): ReactElement {
  const { t } = useTranslation();
  return (
    <Dialog title={props.title} onClose={props.onClose}>
      <div className="flex flex-col gap-4 text-sm">
        <div className="text-soft">{props.children}</div>
        {props.problem === null ? null : <ProblemNote problem={props.problem} />}
        <div className="flex justify-end gap-2">
          <Button onClick={props.onClose}>{t('act.cancel')}</Button>
          <Button look={props.danger === true ? 'danger' : 'main'} busy={props.busy} onClick={props.onConfirm}>
            {props.act}
          </Button>
        </div>
      </div>
    </Dialog>
  );
}
