# syntax=docker/dockerfile:1
# docker build -t touchstone .                               for CPU
# docker build -t touchstone --build-arg DEVICE=cuda .       with CUDA; run it with --gpus all
# docker run -p 8501:8501 touchstone                         the demo: nothing to set, nothing is kept
ARG PYTHON=3.11
FROM python:${PYTHON}-slim AS wheel
WORKDIR /src
RUN pip install --no-cache-dir hatchling==1.33.0
COPY . .
RUN python -m hatchling build -t wheel -d /wheel

FROM python:${PYTHON}-slim
ARG DEVICE=cpu
COPY requirements.txt /tmp/
# the largest layer first: it changes with the pins only. The package index has torch with CUDA
RUN if [ "${DEVICE}" = cpu ]; then \
        pip install --no-cache-dir --index-url https://download.pytorch.org/whl/cpu "$(grep '^torch==' /tmp/requirements.txt)"; \
    fi \
    && pip install --no-cache-dir -r /tmp/requirements.txt
COPY --from=wheel /wheel /tmp/wheel
RUN pip install --no-cache-dir --no-deps /tmp/wheel/*.whl \
    && useradd --create-home --uid 1000 touchstone \
    && install -d -o touchstone -g touchstone /home/touchstone/.touchstone
USER 1000
WORKDIR /home/touchstone
ENV HF_HOME=/home/touchstone/.touchstone/models \
    STREAMLIT_SERVER_ADDRESS=0.0.0.0 \
    TOUCHSTONE_DEMO=1
VOLUME /home/touchstone/.touchstone
EXPOSE 8501
HEALTHCHECK --start-period=60s CMD ["python", "-c", "from urllib.request import urlopen; urlopen('http://127.0.0.1:8501/_stcore/health', timeout=5)"]
ENTRYPOINT ["touchstone"]
CMD ["run"]
