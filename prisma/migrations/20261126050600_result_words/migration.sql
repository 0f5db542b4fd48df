-- AlterTable
ALTER TABLE "CodingRun" ADD COLUMN     "words" tsvector GENERATED ALWAYS AS (strip(to_tsvector('simple'::regconfig, translate(left("prompt", 10000) || ' ' || left(coalesce("result", ''), 10000), '!"#$%&''()*+,-./:;<=>?@[\]^_`{|}~', repeat(' ', 32))))) STORED;

-- Beside the row, a count would fetch the words of each row by an index.
ALTER TABLE "CodingRun" ALTER COLUMN "words" SET STORAGE MAIN;

-- CreateIndex
CREATE INDEX "CodingRun_words_idx" ON "CodingRun" USING GIN ("words");
