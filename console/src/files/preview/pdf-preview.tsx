import { useQuery } from '@tanstack/react-query';
import { GlobalWorkerOptions, getDocument, type PDFDocumentProxy, type PDFPageProxy } from 'pdfjs-dist';
import { memo, type RefObject, useEffect, useRef, useState } from 'react';
import { ticketFor } from '../../app/api.ts';
import { ownScript } from '../../app/own-scripts.ts';
import { useTexts } from '../../app/texts.ts';
import { ErrorPlace } from '../../parts/place.tsx';
import { filesTexts } from '../texts.ts';
import { MOST_PAGES, MOST_PIXELS_OF_PICTURE, scaleOf, shapeOf } from './pdf-bounds.ts';
import styles from './preview.module.css';

/** Pages are drawn when they come this near, and forgotten when they leave. */
const NEAR = '800px';
/** A4, until a page is read. */
const USUAL_SHAPE = 210 / 297;

/** The pages of the PDF that a path of the API answers, read by a worker; its scripts and forms are not run. */
export default function PdfPreview({ path, name }: { path: string; name: string }) {
  const texts = useTexts(filesTexts);
  const { data, error, refetch } = useQuery({
    queryKey: ['files', 'pdf', path],
    queryFn: () => openPdf(path),
    gcTime: 0,
    retry: false,
  });
  useEffect(() => () => void data?.loadingTask.destroy(), [data]);
  if (error) return <ErrorPlace error={new Error(texts.brokenPreview)} onRetry={() => void refetch()} />;
  if (!data) return null;
  return <Pages pdf={data} name={name} />;
}

function Pages({ pdf, name }: { pdf: PDFDocumentProxy; name: string }) {
  const texts = useTexts(filesTexts);
  const box = useRef<HTMLDivElement>(null);
  const near = useNear(box);
  const count = Math.min(pdf.numPages, MOST_PAGES);
  return (
    <div className={styles.text}>
      {count < pdf.numPages && <p className={styles.note}>{texts.firstPagesOnly(count, pdf.numPages)}</p>}
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: pages that scroll must be reached by key */}
      <div ref={box} className={styles.pages} tabIndex={0} role="document" aria-label={name}>
        {Array.from({ length: count }, (_, index) => (
          <PdfPage key={index} pdf={pdf} number={index + 1} isNear={near.has(index + 1)} />
        ))}
      </div>
    </div>
  );
}

/** The numbers of the pages in a box that are seen, or soon will be. */
function useNear(box: RefObject<HTMLDivElement | null>): ReadonlySet<number> {
  const [near, setNear] = useState<ReadonlySet<number>>(new Set());
  useEffect(() => {
    if (!box.current) return;
    const look = (entries: IntersectionObserverEntry[]) =>
      setNear((before) => {
        const now = new Set(before);
        for (const { target, isIntersecting } of entries) {
          const number = Number((target as HTMLElement).dataset.page);
          if (isIntersecting) now.add(number);
          else now.delete(number);
        }
        return now;
      });
    const observer = new IntersectionObserver(look, { root: box.current, rootMargin: NEAR });
    for (const page of box.current.children) observer.observe(page);
    return () => observer.disconnect();
  }, [box]);
  return near;
}

/** The address of the worker's script, which the build knows. */
declare const PDF_WORKER: string;

async function openPdf(path: string): Promise<PDFDocumentProxy> {
  GlobalWorkerOptions.workerPort ??= new Worker(ownScript(PDF_WORKER), { type: 'module' });
  const url = await ticketFor(path);
  // The policy of the page forbids compiled code; the library has scripts that do the same.
  return getDocument({ url, useWasm: false, maxImageSize: MOST_PIXELS_OF_PICTURE }).promise;
}

interface PdfPageProps {
  pdf: PDFDocumentProxy;
  number: number;
  isNear: boolean;
}

const PdfPage = memo(function PdfPage({ pdf, number, isNear }: PdfPageProps) {
  const [page, setPage] = useState<PDFPageProxy>();
  const [isBroken, setBroken] = useState(false);
  const texts = useTexts(filesTexts);
  useEffect(() => {
    if (!isNear) return;
    let isLeft = false;
    pdf.getPage(number).then(
      (read) => isLeft || setPage(read),
      () => isLeft || setBroken(true),
    );
    return () => {
      isLeft = true;
    };
  }, [pdf, number, isNear]);
  // What was read of a page that is far is given back.
  useEffect(() => (isNear ? undefined : void page?.cleanup()), [page, isNear]);
  const aspectRatio = page ? shapeOf(page.getViewport({ scale: 1 })) : USUAL_SHAPE;
  return (
    <div className={styles.page} data-page={number} style={{ aspectRatio }}>
      {isNear && page && <Drawing page={page} number={number} />}
      {isBroken && <p className={styles.note}>{texts.brokenPage(number)}</p>}
    </div>
  );
});

function Drawing({ page, number }: { page: PDFPageProxy; number: number }) {
  const texts = useTexts(filesTexts);
  const canvas = useRef<HTMLCanvasElement>(null);
  useEffect(() => {
    if (!canvas.current) return;
    const wanted = canvas.current.clientWidth * Math.min(devicePixelRatio, 2);
    const viewport = page.getViewport({ scale: scaleOf(page.getViewport({ scale: 1 }), wanted) });
    const [width, height] = [viewport.width, viewport.height].map((side) => Math.max(1, Math.floor(side)));
    Object.assign(canvas.current, { width, height });
    const drawing = page.render({ canvas: canvas.current, viewport });
    drawing.promise.catch(() => undefined);
    return () => drawing.cancel();
  }, [page]);
  return <canvas ref={canvas} role="img" aria-label={texts.page(number)} />;
}
