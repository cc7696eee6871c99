import { ERROR } from '../../values.ts';
import { define } from '../define.ts';

const DIGITS = ['ศูนย์', 'หนึ่ง', 'สอง', 'สาม', 'สี่', 'ห้า', 'หก', 'เจ็ด', 'แปด', 'เก้า'];
const PLACES = ['', 'สิบ', 'ร้อย', 'พัน', 'หมื่น', 'แสน'];
const MILLION = 'ล้าน';
const [BAHT, SATANG, EXACTLY, MINUS] = ['บาท', 'สตางค์', 'ถ้วน', 'ลบ'];

export const BAHTTEXT = define('BAHTTEXT', ['number'], ([amount]) => {
  const total = Math.round(Math.abs(amount) * 100);
  if (!Number.isSafeInteger(total)) return ERROR['#VALUE!'];
  const [baht, satang] = [Math.floor(total / 100), total % 100];
  const whole = baht === 0 && satang > 0 ? '' : words(baht) + BAHT;
  return (amount < 0 && total > 0 ? MINUS : '') + whole + (satang === 0 ? EXACTLY : words(satang) + SATANG);
});

function words(number: number): string {
  if (number === 0) return DIGITS[0] ?? '';
  const millions = Math.floor(number / 1e6);
  return (millions > 0 ? words(millions) + MILLION : '') + belowMillion(number % 1e6, millions > 0);
}

function belowMillion(number: number, follows: boolean): string {
  const digits = String(number).split('').map(Number);
  return digits
    .map((digit, index) => digitWords(digit, digits.length - 1 - index, follows || digits.length > 1))
    .join('');
}

/** Ten is without its one, twenty has a word of its own, and so has a one at the end. */
function digitWords(digit: number, place: number, isLonger: boolean): string {
  if (digit === 0) return '';
  if (place === 1 && digit === 1) return PLACES[1] ?? '';
  if (place === 1 && digit === 2) return `ยี่${PLACES[1]}`;
  if (place === 0 && digit === 1 && isLonger) return 'เอ็ด';
  return `${DIGITS[digit]}${PLACES[place]}`;
}
