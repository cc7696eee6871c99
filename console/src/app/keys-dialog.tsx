import { Dialog } from '../parts/dialog.tsx';
import { Switch } from '../parts/switch.tsx';
import { useOfferedActions } from './actions.ts';
import { frameTexts } from './frame-texts.ts';
import styles from './keys-dialog.module.css';
import { useUser } from './session.ts';
import { setSingleKeysOn, useActingKeys, useAreSingleKeysOn } from './single-keys.ts';
import { useTexts } from './texts.ts';

/** Lists what can be done here by key, and turns off the keys that are a single sign. */
export function KeysDialog({ isOpen, onClose }: { isOpen: boolean; onClose(): void }) {
  const texts = useTexts(frameTexts);
  const { id: userId } = useUser();
  const isOn = useAreSingleKeysOn();
  const acting = useActingKeys();
  const actions = useOfferedActions().filter(({ keys }) => acting(keys) !== undefined);
  return (
    <Dialog title={texts.keys} isOpen={isOpen} onClose={onClose} size="wide">
      <Switch
        label={texts.singleKeys}
        hint={texts.singleKeysHint}
        isOn={isOn}
        onChange={(next) => setSingleKeysOn(userId, next)}
      />
      <dl className={styles.keys}>
        {actions.map(({ id, label, keys = '' }) => (
          <div key={id} className={styles.line}>
            <dt>
              {keys.split(/[ +]/).map((key) => (
                <kbd key={key}>{key.replace('Control', 'Ctrl')}</kbd>
              ))}
            </dt>
            <dd>{label}</dd>
          </div>
        ))}
      </dl>
    </Dialog>
  );
}
