import type { ReactElement, ReactNode } from 'react';
import { useTranslation } from 'react-i18next';
import type { ApiProblem } from '../api/api-problem.ts';
import { Button } from './button.tsx';
import { ProblemNote } from './problem-note.tsx';

interface DialogEndProps {
  readonly onCancel: () => void;
  /** Error of the operation. */
  readonly problem?: ApiProblem | null;
  /** The submit button. */
  readonly children: ReactNode;
}

/** Footer of a dialog: cancel and submit. */
export function DialogEnd({ onCancel, problem = null, children }: DialogEndProps): ReactElement {
  const { t } = useTranslation();
  return (
    <>
      {problem === null ? null : <ProblemNote problem={problem} />}
      <div className="flex justify-end gap-2">
        <Button onClick={onCancel}>{t('act.cancel')}</Button>
        {children}
      </div>
    </>
  );
}
