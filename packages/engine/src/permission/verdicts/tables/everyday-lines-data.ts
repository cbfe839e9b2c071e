// What people run in a project that allows the usual programs by prefix, one command per line. They are judged, never
// run. None of them should need approval, except for those listed as stricter.

import type { Project } from "./everyday-data.ts";

const PROGRAMS = `
git npm node python python3 pip mkdir rm cp mv touch chmod curl docker gh pytest cargo go make npx pnpm yarn
uv tsc eslint prettier kill pkill lsof tar unzip export bun dotnet mvn gradle terraform kubectl helm psql
sqlite3 openssl brew bundle rails php composer sed awk xargs find ls cat grep echo tee ln env timeout rg fd jq
yq ruff black mypy poetry vitest jest playwright prisma docker-compose redis-cli aws gcloud ssh rsync zip diff
sort head tail wc tree test cd which ps sleep date ./gradlew ./scripts/build.sh ./manage.py
`;

const COMMANDS = `
git add -A && git commit -m "feat: add x" && git push
git diff HEAD~1 --stat
git log --pretty=format:'%h %an %s' --since='2 weeks ago'
git show HEAD:src/a.ts | head -50
git stash push -m wip && git pull --rebase && git stash pop
git checkout -b feature/x origin/main
git push --force-with-lease origin HEAD
git branch --merged | grep -v main
git reset --hard HEAD~1
git clean -fd
git cherry-pick abc123
git tag -a v1.0 -m 'x'
git diff --name-only main...HEAD
git rev-parse --abbrev-ref HEAD
git remote -v && git fetch --prune
git blame -L 10,20 src/a.ts
git log -p --follow -- src/a.ts
git worktree add ../x -b x
git diff --cached | cat
git ls-files '*.ts' | xargs wc -l
git grep -n 'TODO' -- '*.ts'
git log --format=%B -n 1
git status -sb; git diff --stat
git diff main -- src/ | head -200
git merge --no-ff feature -m 'merge'
git apply fix.patch
npm run build 2>&1 | tail -20
npm test 2>&1 | grep -E 'fail|pass' | head -30
npm ci && npm run build && npm test
npm run lint -- --fix
npm ls react 2>/dev/null
npm test -- --testPathPattern=foo --watchAll=false
npm run dev > /dev/null 2>&1
npm pack --dry-run
npm view typescript versions --json | tail -5
npx tsc --noEmit 2>&1 | head -40
npx prettier --check . || true
npx eslint src --ext .ts,.tsx --max-warnings=0
npx vitest run src/a.test.ts --reporter=dot
npx jest --ci --coverage --maxWorkers=2
npx playwright test --project=chromium
npx prisma migrate dev --name init
pnpm -r --filter './packages/*' build
pnpm test --filter @a/b
yarn workspace @a/b test --watch=false
NODE_ENV=test npm test
CI=1 npm test
CI=true npx vitest run
FORCE_COLOR=0 npm run build
LANG=C sort x
node -e "console.log(require('./package.json').version)"
node --version && npm --version
node scripts/x.js --flag
python -m venv .venv
python -c "import sys; print(sys.version)"
python3 -m json.tool < package.json
python manage.py migrate
pip install -r requirements-dev.txt -q
pip list --outdated
pytest tests/unit -x --ff -q 2>&1 | tail -15
pytest -k "foo and not bar" -v --no-header
pytest --cov=app --cov-report=html
pytest -n auto --dist loadfile
uv run pytest tests -q
uv pip install -e '.[dev]'
uv sync --all-extras
ruff check . --fix && ruff format .
mypy src --ignore-missing-imports
cargo test --workspace --all-features
cargo clippy -- -D warnings 2>&1 | head -60
cargo build --release --target x86_64-unknown-linux-musl
cargo run --bin x -- --help
cargo fmt --check
RUST_LOG=debug cargo run
go test ./... 2>&1 | grep -v 'no test files'
go test -race -count=1 ./internal/...
go build -o bin/app ./cmd/app
go mod tidy && go vet ./...
CGO_ENABLED=0 GOOS=linux go build ./...
make build && make test
make -j8
make clean all
make test ARGS="-v"
docker compose up -d --build
docker compose logs --tail=100 api
docker compose exec db psql -U postgres -c 'select 1'
docker build -t app:dev --target dev .
docker run --rm -v ./data:/data app
docker exec -it api sh -c 'ls /app'
docker inspect api | jq '.[0].State'
kubectl get pods -A | grep -v Running
kubectl logs -n prod deploy/api --since=1h | grep ERROR
kubectl describe pod api-123 -n prod
kubectl get svc -o yaml
kubectl apply -f k8s/ --dry-run=client
kubectl rollout restart deployment/api
helm upgrade --install api ./chart -f values.prod.yaml --set image.tag=1
terraform fmt -check -recursive && terraform validate
terraform plan -out=tfplan
gh pr view --json number,title,state
gh pr checks 12 --watch
gh run view 123 --log | tail -50
gh api repos/o/r/pulls/1/comments --jq '.[].body'
gh issue list --state open --limit 20
gh pr diff 5 | head -100
gh release list
curl -s localhost:3000/api | jq .
curl -X POST localhost:3000/x -H 'Content-Type: application/json' -d '{"a": 1}'
curl -sI https://example.com | head -1
curl -fsSL https://example.com/install.txt -o install.txt
jq -r '.scripts | keys[]' package.json
jq '.dependencies | length' package.json
jq -s 'map(.x) | add' a.json b.json
yq '.services | keys' docker-compose.yml
mkdir -p src/components && touch src/components/x.tsx
rm -rf dist node_modules/.cache
cp -r src/a src/b
mv src/a.ts src/b.ts
chmod +x scripts/build.sh
ln -s ../x y
ls -la src/ && cat src/a.ts
ls -1 | wc -l
ls *.md
find . -name '*.ts' -not -path '*/node_modules/*' | head -20
find src -type f -name '*.test.ts' | xargs grep -l foo
find . -type f -size +1M
grep -rn "foo" src --include='*.ts' | head
grep -rE 'a|b' . --exclude-dir=node_modules -l
grep -c . src/a.ts
grep -n -A5 -B2 'x' src/a.ts
rg -l foo | xargs sed -i 's/foo/bar/g'
rg --files | wc -l
sed -n '10,40p' src/a.ts
sed -i 's/foo/bar/g' src/a.ts
sed -i.bak '/x/d' src/a.ts && rm src/a.ts.bak
awk '{print $2}' x | sort | uniq -c | sort -rn | head
awk -F: '{print $1}' src/a.ts
cat package.json | jq .version
cat src/a.ts src/b.ts | wc -l
head -c 200 x; echo
tail -n 50 log.txt | grep -i error
tail -f log.txt
wc -l src/*.ts | tail -1
sort -u x | diff - y
diff -ru a b
tree -L 3 -I 'node_modules|dist'
ps aux | grep -v grep | grep node | awk '{print $2}' | xargs kill
lsof -ti:3000 | xargs kill -9
kill -9 1234
pkill -f vite
which node python3 go
echo "done"
echo "$HOME"
echo $?
sleep 2 && curl -s localhost:3000
timeout 60 npm test
timeout 30s python x.py
tar -czf out.tgz dist
tar xzf x.tgz -C vendor
unzip -o x.zip -d out
zip -r out.zip dist -x '*.map'
psql -h localhost -U me -d db -c 'select count(*) from x'
sqlite3 db.sqlite '.schema users'
sqlite3 -header -column db.sqlite 'select * from x limit 5'
redis-cli ping
openssl rand -hex 16
brew install jq
bundle exec rspec spec/models
bundle exec rubocop -a
rails db:migrate RAILS_ENV=test
php artisan migrate
composer install --no-interaction
./gradlew test --tests 'a.B'
./gradlew assembleDebug --stacktrace
mvn -q test -Dtest=FooTest
dotnet test --filter FullyQualifiedName~Foo
dotnet build -c Release /p:Version=1.2
./scripts/build.sh --prod
export FOO=bar
export NODE_ENV=production && npm run build
cd packages/web && npm test
cd /repo && npm run build
test -f package.json && echo yes || echo no
[ -d node_modules ] || npm install
[[ -f .env ]] && echo ok
if [ -f x ]; then cat x; else echo none; fi
npm test | tee out.log
true && false || echo x
env | grep NODE
env NODE_ENV=test npm test
xargs -n1 echo < x
type npm
command -v docker >/dev/null 2>&1 && echo yes
uname -a
ssh host 'uptime'
rsync -av src/ host:/srv/app/
aws s3 ls s3://b --recursive | tail
gcloud run services list
echo "Branch: $(git branch --show-current)"
git log --oneline | wc -l | xargs echo commits:
sha256sum -c SHA256SUMS
pip install -e ../lib
npm install ../lib
prettier --write ../docs/a.md
kubectl exec web -- ls
mvn exec:java
gh auth token
`;

export const USUAL: Project = {
  name: "a project that allows the usual programs",
  allow: PROGRAMS.trim()
    .split(/\s+/)
    .map((name) => `Bash(${name}:*)`),
  commands: COMMANDS.split("\n").filter(Boolean),
};
