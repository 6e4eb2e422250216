# syntax=docker/dockerfile:1
# docker build -t touchstone .                               for CPU
# docker build -t touchstone --build-arg DEVICE=cuda .       with CUDA; run it with --gpus all
# docker run -p 8501:8501 touchstone                         the demo: nothing to set, nothing is kept
# a release has it by digest (.ci/image_digests.py)
ARG BASE=python:3.11-slim
FROM ${BASE} AS wheel
WORKDIR /src
COPY .ci/build-requirements.lock /tmp/
RUN pip install --no-cache-dir --require-hashes -r /tmp/build-requirements.lock
COPY . .
RUN python -m hatchling build -t wheel -d /wheel

FROM ${BASE}
ARG DEVICE=cpu
COPY .ci/requirements.lock .ci/requirements-cpu.lock .ci/build-requirements.lock /tmp/
# the largest layer first: it changes with the pins only. The package index has torch with CUDA, that of PyTorch the one
# for CPU; a file of another origin than the one whose hash is in the lock is refused
RUN if [ "${DEVICE}" = cpu ]; then \
        pip install --no-cache-dir --require-hashes --extra-index-url https://download.pytorch.org/whl/cpu -r /tmp/requirements-cpu.lock; \
    else \
        pip install --no-cache-dir --require-hashes -r /tmp/requirements.lock; \
    fi
COPY --from=wheel /wheel /tmp/wheel
RUN pip install --no-cache-dir --no-deps /tmp/wheel/*.whl \
    && useradd --create-home --uid 1000 touchstone \
    && install -d -o touchstone -g touchstone /home/touchstone/.touchstone
# the parts of the image with versions and licences, as CycloneDX
RUN python -m venv /tmp/bom \
    && /tmp/bom/bin/pip install --no-cache-dir --require-hashes -r /tmp/build-requirements.lock \
    && install -d /usr/share/touchstone \
    && /tmp/bom/bin/cyclonedx-py environment --output-reproducible -o /usr/share/touchstone/sbom.cdx.json "$(command -v python)" \
    && rm -r /tmp/bom
USER 1000
WORKDIR /home/touchstone
# glibc keeps what each of many threads freed apart: 30 MB of a server
ENV HF_HOME=/home/touchstone/.touchstone/models \
    MALLOC_ARENA_MAX=2 \
    STREAMLIT_SERVER_ADDRESS=0.0.0.0 \
    TOUCHSTONE_DEMO=1
VOLUME /home/touchstone/.touchstone
EXPOSE 8501
# asked where the server listens: STREAMLIT_SERVER_PORT and STREAMLIT_SERVER_BASE_URL_PATH set that
HEALTHCHECK --start-period=60s CMD ["python", "-c", "import os; from urllib.request import urlopen; port, base = os.environ.get('STREAMLIT_SERVER_PORT', '8501'), os.environ.get('STREAMLIT_SERVER_BASE_URL_PATH', '').strip('/'); urlopen(f'http://127.0.0.1:{port}/' + '/'.join(filter(None, [base, '_stcore/health'])), timeout=5)"]
ENTRYPOINT ["touchstone"]
CMD ["run"]
